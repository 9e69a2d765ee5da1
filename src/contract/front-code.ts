// What a front's code is (catalogue.md, `fronts`; edge.md, "Decisions"). Without zod, and in the
// syntax of njs: the edge checks X-Front with it before it builds a path.

/** Rules out lists, traversal, percent signs and capitals. */
export const FRONT_CODE = /^(?!.*\.\.)[a-z0-9][a-z0-9._-]{0,62}$/;

/** Whether a text is a valid front code. */
export const isFrontCode = (text: string): boolean => FRONT_CODE.test(text);
