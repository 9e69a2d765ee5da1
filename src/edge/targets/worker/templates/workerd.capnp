# In this folder, run: workerd serve workerd.capnp. Secrets come from the environment.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "rule", worker = .rule),
    {{services}}
  ],
  sockets = [(name = "http", address = "127.0.0.1:8080", http = (), service = "rule")],
);

const rule :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2025-01-01",
{{#caches}}
  # Brings the decoder with which the worker compares brotli siblings with their names.
  compatibilityFlags = ["nodejs_compat"],
{{/caches}}
  bindings = [
    {{bindings}}
  ],
);
