import worker from "./worker.js";

export const config = { runtime: "edge" };
export default (request) => worker.fetch(request, process.env);
