// The default profile of a fetch handler. For other profiles, deploy/bundle.ts replaces this module with another of this folder.

export { rfc9421 as profile } from '../../rule/rfc9421.ts';
