import worker from "../../worker.js";

export const config = { path: "/*" };
export default (request, context) => worker.fetch(request, Deno.env.toObject(), context);
