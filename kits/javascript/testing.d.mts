/** A request that a cluster has answered. */
export interface RecordedRequest {
  /** The number of the request in its cluster, from 1. */
  readonly number: number
  /** Milliseconds since the epoch, by the clock of the machine. */
  readonly at: number
  readonly verb: string
  readonly group: string
  readonly version: string
  /** '' for paths that are not of resources. */
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
  readonly user: string
  readonly userAgent: string
  readonly code: number
  /** The time until the response began. */
  readonly milliseconds: number
  /** The id of the fault that changed the response; 0 without one. */
  readonly fault: number
}

/** The requests that a rule or a question is about. An absent field matches any value; `userAgent` matches a part. */
export interface RequestFilter {
  readonly verb?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly user?: string
  readonly userAgent?: string
}

/** The next requests that match are delayed, or fail. */
export interface FaultRule extends RequestFilter {
  /** 400, 401, 403, 404, 409, 410, 429, 500, 503 or 504. */
  readonly code?: number
  /** Milliseconds. */
  readonly delay?: number
  /** The number of requests; 1 by default. */
  readonly times?: number
}

export interface ClusterOptions {
  /** A DNS label; random by default. */
  readonly name?: string
  /** Makes uids, generated names and first versions the same in each cluster with this seed. */
  readonly seed?: number
  /** The time at which the cluster begins, RFC 3339. */
  readonly now?: string | Date
  /** Stops the clock from the beginning. */
  readonly frozen?: boolean
}

export interface RequestOptions {
  readonly method?: string
  /** Texts are sent unchanged, other values as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A cluster of one test. */
export interface Cluster extends AsyncDisposable {
  readonly name: string
  readonly url: string
  readonly token: string
  /** PEM. */
  readonly certificateAuthority: string
  /** The kubeconfig as JSON, which is also YAML. */
  readonly kubeconfig: string
  /** The path of a file with the kubeconfig. It is deleted with the cluster. */
  readonly kubeconfigFile: string
  readonly clock: {
    now(): Promise<Date>
    /** Moves the clock by milliseconds or a duration such as `1h30m`, and runs the work that is due then. */
    advance(by: number | string): Promise<Date>
    /** Moves the clock to a later time. */
    set(to: string | Date): Promise<Date>
    /** Stops the clock: it only moves by `advance` and `set`. */
    freeze(): Promise<Date>
    /** Lets a stopped clock go on. */
    unfreeze(): Promise<Date>
  }
  /** Sends a request as the administrator. The body of the response is a text. */
  request(
    path: string,
    options?: RequestOptions,
  ): Promise<{ readonly status: number; readonly text: string; json<T = unknown>(): T }>
  /**
   * Creates the objects in a file, or in all YAML and JSON files of a directory in the order of their names: definitions,
   * configurations of webhooks and any others.
   * @param values replace `${NAME}` in the files
   */
  install(path: string, values?: Readonly<Record<string, string>>): Promise<void>
  requests(filter?: RequestFilter): Promise<readonly RecordedRequest[]>
  /** The recorded requests as a table. */
  requestTable(filter?: RequestFilter): Promise<string>
  clearRequests(): Promise<void>
  fail(rule: FaultRule): Promise<void>
  clearFaults(): Promise<void>
  /** Closes the open watches of a resource, or all. */
  closeWatches(which?: { readonly group?: string; readonly resource: string }): Promise<void>
  delete(): Promise<void>
}

/** A server for tests. */
export interface Edgeplane extends AsyncDisposable {
  readonly url: string
  /** The path of the kubeconfig of the default cluster. */
  readonly kubeconfigFile: string
  cluster(options?: ClusterOptions): Promise<Cluster>
  stop(): Promise<void>
}

/** Starts a server, or uses that of the environment variable EDGEPLANE_KUBECONFIG. @param args of `edgeplane start` */
export function startEdgeplane(options?: { readonly args?: readonly string[] }): Promise<Edgeplane>

/**
 * Returns a test function for any runner: it gets a new cluster, which is deleted afterwards. If it fails, the requests of the
 * cluster are printed. All tests of a process share one server.
 */
export function withCluster(test: (cluster: Cluster) => unknown, options?: ClusterOptions): () => Promise<void>

/** Returns the same as a fixture of vitest: `test.extend({ cluster: clusterFixture() })`. */
export function clusterFixture(
  options?: ClusterOptions,
): (
  context: { task: { readonly result?: { readonly state: string } } },
  use: (cluster: Cluster) => Promise<void>,
) => Promise<void>

/** The `globalSetup` of vitest and jest: all test processes share one server. Returns its end. */
export default function globalSetup(): Promise<() => Promise<void>>
