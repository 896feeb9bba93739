/**
 * The parts of workerd's schema (workerd/workerd.capnp) that a configuration uses, as the compiler of Cap'n Proto lays them out.
 * workerd reads the result much faster than text, for which it compiles the schema first.
 */
import type { Field, Shape } from './capnp.ts'

const struct = (words: number, pointers: number, fields: Readonly<Record<string, Field>>): Shape => ({ words, pointers, fields })

const keypair = struct(0, 2, { privateKey: { text: 0 }, certificateChain: { text: 1 } })
const tlsOptions = struct(1, 3, {
  keypair: { struct: 0, shape: keypair },
  trustBrowserCas: { bit: 1 },
  trustedCertificates: { texts: 1 },
})
const header = struct(0, 2, { name: { text: 0 }, value: { text: 1 } })
const httpOptions = struct(1, 5, { cfBlobHeader: { text: 1 }, injectRequestHeaders: { list: 2, shape: header } })
const serviceDesignator = struct(1, 3, { name: { text: 0 } })

/** The options of `https` are in the socket itself. */
const socket = struct(2, 5, {
  name: { text: 0 },
  address: { text: 1 },
  http: { struct: 2, shape: httpOptions, tag: [0, 0] },
  httpsOptions: { struct: 2, shape: httpOptions, tag: [0, 1] },
  tlsOptions: { struct: 3, shape: tlsOptions, tag: [0, 1] },
  service: { struct: 4, shape: serviceDesignator },
})

const objectsOfClass = struct(0, 3, { className: { text: 0 } })
/** A module of a Worker. */
export const workerModule = struct(1, 3, { name: { text: 0 }, esModule: { text: 1, tag: [0, 0] } })
const binding = struct(1, 6, {
  name: { text: 0 },
  text: { text: 1, tag: [0, 2] },
  service: { struct: 1, shape: serviceDesignator, tag: [0, 7] },
  durableObjectNamespace: { struct: 1, shape: objectsOfClass, tag: [0, 8] },
})
const durableObjectNamespace = struct(1, 3, {
  className: { text: 0 },
  uniqueKey: { text: 1, tag: [0, 0] },
  enableSql: { bit: 17 },
})
const worker = struct(1, 16, {
  modules: { list: 0, shape: workerModule, tag: [0, 0] },
  compatibilityDate: { text: 1 },
  bindings: { list: 3, shape: binding },
  durableObjectNamespaces: { list: 5, shape: durableObjectNamespace },
  localDisk: { text: 8, tag: [2, 2] },
})
const network = struct(0, 3, { allow: { texts: 0 }, deny: { texts: 1 }, tlsOptions: { struct: 2, shape: tlsOptions } })
const disk = struct(1, 1, { path: { text: 0 }, writable: { bit: 0 } })
const external = struct(1, 4, { address: { text: 0 }, http: { struct: 1, shape: httpOptions, tag: [0, 0] } })
const service = struct(1, 2, {
  name: { text: 0 },
  worker: { struct: 1, shape: worker, tag: [0, 1] },
  network: { struct: 1, shape: network, tag: [0, 2] },
  external: { struct: 1, shape: external, tag: [0, 3] },
  disk: { struct: 1, shape: disk, tag: [0, 4] },
})

/** The root of a configuration. */
export const workerdConfiguration = struct(1, 6, {
  services: { list: 0, shape: service },
  sockets: { list: 1, shape: socket },
  v8Flags: { texts: 2 },
})
