/** The commands of the lab, by name, with a line about each. A module is loaded when its command is named. */
import type { Command } from './command.ts'
import { program } from './program.ts'

interface Entry {
  readonly summary: string
  readonly load: () => Promise<{ readonly default: Command }>
}

export const commands: Readonly<Record<string, Entry>> = {
  ask: {
    summary: "shows the difference of one kubectl command, or of one request ('GET /path'), on both servers",
    load: () => import('./ask.ts'),
  },
  attack: { summary: 'random hostile requests, the same ones for the same seed', load: () => import('./attack.ts') },
  'attack time': {
    summary: 'long texts, lists and maps in every field: fails if the processor time of a request grows faster than its size',
    load: () => import('./attack/time.ts'),
  },
  audit: {
    summary: 'counts what Cloudflare bills, prices scenarios with its list prices, and writes the tables of docs/costs.md',
    load: () => import('./audit.ts'),
  },
  'bench admission-side-by-side': {
    summary: 'creates under admission policies or a webhook, beside kube-apiserver',
    load: () => import('./bench/admission-side-by-side.ts'),
  },
  'bench aggregation': {
    summary: 'gets of an object of another API server, beside kube-apiserver',
    load: () => import('./bench/aggregation.ts'),
  },
  'bench cluster-requests': {
    summary: 'the processor time of requests to a named cluster',
    load: () => import('./bench/cluster-requests.ts'),
  },
  'bench clusters': { summary: 'many named clusters in one server', load: () => import('./bench/clusters.ts') },
  'bench custom-objects': {
    summary: 'a custom resource alone, in this process',
    load: () => import('./bench/custom-objects.ts'),
  },
  'bench custom-side-by-side': {
    summary: 'creates of custom resources, beside kube-apiserver',
    load: () => import('./bench/custom-side-by-side.ts'),
  },
  'bench definitions': { summary: 'a server with 500 definitions', load: () => import('./bench/definitions.ts') },
  'bench engines': { summary: 'the pure engines on the path of every write', load: () => import('./bench/engines.ts') },
  'bench envtest': {
    summary: "controller-runtime's own test suites with envtest's programs and with ours (needs Go)",
    load: () => import('./bench/envtest.ts'),
  },
  'bench envtest-waits': {
    summary: 'the part of those suites that is spent waiting for the server (needs Go)',
    load: () => import('./bench/envtest-waits.ts'),
  },
  'bench fairness': {
    summary: 'renewals of Leases beside the heavy requests of others',
    load: () => import('./bench/fairness.ts'),
  },
  'bench fan-out': { summary: 'events to 1,000 watches (needs Go)', load: () => import('./bench/fan-out.ts') },
  'bench forks': { summary: 'forks of a cluster with many objects', load: () => import('./bench/forks.ts') },
  'bench history': { summary: 'the disk that endless updates of one object take', load: () => import('./bench/history.ts') },
  'bench limits': {
    summary: 'large and hostile requests: memory, and the waiting time of others',
    load: () => import('./bench/limits.ts'),
  },
  'bench lists': { summary: 'a list of 10,000 Pods', load: () => import('./bench/lists.ts') },
  'bench side-by-side': {
    summary: 'every verb, beside kube-apiserver (needs Go)',
    load: () => import('./bench/side-by-side.ts'),
  },
  'bench start-up': { summary: 'the time until the first answer', load: () => import('./bench/start-up.ts') },
  'bench test-clusters': { summary: 'a cluster for each test', load: () => import('./bench/test-clusters.ts') },
  'catalog generate': {
    summary: 'generates the tables of built-in kinds from the Go modules of Kubernetes (needs Go)',
    load: program('scripts/catalog/generate.ts'),
  },
  'catalog record-facts': {
    summary: 'records facts that are in no Go type from a kube-apiserver',
    load: program('scripts/catalog/record-facts.ts', '--reference URL --reference-token T [--check]'),
  },
  'catalog record-releases': {
    summary: 'records the kinds and fields of earlier releases (needs Go)',
    load: program('scripts/catalog/record-releases.ts'),
  },
  'catalog record-resources': {
    summary: 'records the resources of a release from the discovery of two servers',
    load: program('scripts/catalog/record-resources.ts', 'RELEASE DIR DIR'),
  },
  cloudflare: {
    summary: 'deploys to a real account, runs a story of kubectl, upgrades, backs up, destroys',
    load: () => import('./cloudflare.ts'),
  },
  'complete-lock': {
    summary: "completes package-lock.json with other platforms' packages, which a partial registry leaves out",
    load: () => import('./complete-lock.ts'),
  },
  'diff authorization': {
    summary: 'replays the matrix of users, verbs, resources and paths that was recorded from kube-apiserver',
    load: () => import('./diff/authorization.ts'),
  },
  'diff cel': { summary: 'compares generated expressions of CEL with kube-apiserver', load: () => import('./diff/cel.ts') },
  'diff conversions': {
    summary: "compares conversions between all versions with those of kube-apiserver's own functions (needs Go)",
    load: () => import('./diff/conversions.ts'),
  },
  'diff crds': {
    summary: 'compares the definitions of custom resources in files, and objects of them, with kube-apiserver',
    load: () => import('./diff/crds.ts'),
  },
  'diff generated': {
    summary: 'compares objects of every kind, each field broken in turn, with kube-apiserver',
    load: () => import('./diff/generated.ts'),
  },
  'diff scenarios': {
    summary: 'replays the requests that were recorded from kube-apiserver, and compares the responses',
    load: () => import('./diff/scenarios.ts'),
  },
  'diff sequences': {
    summary: 'compares random sequences of requests about an object with kube-apiserver',
    load: () => import('./diff/sequences.ts'),
  },
  man: { summary: 'writes the manual page of the package from the commands', load: () => import('./man.ts') },
  numbers: {
    summary: "the repository's structure in numbers: lines, long functions, casts, import cycles",
    load: () => import('./numbers.ts'),
  },
  prometheus: {
    summary: "evaluates the queries of the community's dashboard and alerts with Prometheus' own engine (needs Go)",
    load: () => import('./prometheus.ts'),
  },
  'record admission-order': {
    summary: "the order in which kube-apiserver's mutating phase calls policies and webhooks",
    load: () => import('./record/admission-order.ts'),
  },
  'record admission-webhooks': {
    summary: 'the responses of a new kube-apiserver whose admission webhooks answer in many ways',
    load: () => import('./record/admission-webhooks.ts'),
  },
  'record aggregation': {
    summary: 'the transcript of `soak aggregation` with kube-apiserver (needs Go)',
    load: () => import('./record/aggregation.ts'),
  },
  'record authorization': {
    summary: 'the responses of a new kube-apiserver to the matrix of users, verbs, resources and paths',
    load: () => import('./record/authorization.ts'),
  },
  'record bootstrap-contents': {
    summary: 'the objects with which a control object begins, as a server makes them',
    load: () => import('./record/bootstrap-contents.ts'),
  },
  'record certificates': {
    summary: "the chains of certificates that Go's crypto/x509 accepts (needs Go)",
    load: () => import('./record/certificates.ts'),
  },
  'record cluster': {
    summary: 'the objects of a kube-apiserver, for the tests of imports',
    load: () => import('./record/cluster.ts'),
  },
  'record conversions': {
    summary: "how kube-apiserver's own functions convert a sample of objects (needs Go)",
    load: () => import('./record/conversions.ts'),
  },
  'record feature-gates': {
    summary: 'the stages of the feature gates in each release, from the sources of Kubernetes (needs Go)',
    load: () => import('./record/feature-gates.ts'),
  },
  'record metrics': {
    summary: 'the families of metrics of a kube-apiserver and of its sources',
    load: () => import('./record/metrics.ts'),
  },
  'record optional-kinds': {
    summary: 'the messages of a kube-apiserver about kinds that are off by default',
    load: () => import('./record/optional-kinds.ts'),
  },
  'record parameters': {
    summary: 'the responses of kube-apiserver to every value of every query parameter on every verb',
    load: () => import('./record/parameters.ts'),
  },
  'record plugins': {
    summary: 'the responses of a kube-apiserver with other admission plugins than the default ones',
    load: () => import('./record/plugins.ts'),
  },
  'record pod-security': {
    summary: "the violations that kube-apiserver's own checks find in generated Pods (needs Go)",
    load: () => import('./record/pod-security.ts'),
  },
  'record quota': {
    summary: "the use that kube-apiserver's own quota evaluator finds in generated Pods (needs Go)",
    load: () => import('./record/quota.ts'),
  },
  'record scenarios': {
    summary: 'the responses of kube-apiserver to scenarios, into their files',
    load: () => import('./record/scenarios.ts'),
  },
  'soak aggregation': {
    summary: "sample-apiserver, metrics-server's API layer and a kubelet's streaming server with kubectl (needs Go)",
    load: () => import('./soak/aggregation.ts'),
  },
  'soak connections': {
    summary: 'the waiting time of a client while others open connections and send nothing',
    load: () => import('./soak/connections.ts'),
  },
  'soak controller-manager': {
    summary: 'the real kube-controller-manager: prints the errors that it logs',
    load: () => import('./soak/controller-manager.ts'),
  },
  'soak informers': {
    summary: 'informers of the JavaScript client and of client-go while the server is killed again and again (needs Go)',
    load: () => import('./soak/informers.ts'),
  },
  'soak leader-election': {
    summary: 'the real kube-controller-manager and kube-scheduler beside six busy processes: they keep their Leases',
    load: () => import('./soak/leader-election.ts'),
  },
  'soak lists': {
    summary: 'lists of objects of a megabyte, many at once and in every form: time, memory, and the waiting time of others',
    load: () => import('./soak/lists.ts'),
  },
  'soak memory': {
    summary: 'the memory of one isolate in which many collections are busy',
    load: () => import('./soak/memory.ts'),
  },
  'soak quota': {
    summary: 'kills a server 20 times under load of writers that share a quota, which must not be exceeded',
    load: () => import('./soak/quota.ts'),
  },
}
