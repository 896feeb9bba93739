/** The table of the options of `edgeplane start`. */
import type { Option } from './command-line.ts'
import { defaultDataDirectory } from './data-directory.ts'
import { operationsOptions } from './operations-options.ts'
import { localCacheMegabytes } from './workerd-config.ts'

/** The port of kube-apiserver. */
export const defaultPort = 6443

/** The options of `edgeplane start`, in the order of its help. */
export const startOptions: readonly Option[] = [
  { name: 'port', value: 'PORT', help: [`port to listen on, 0 for any free one (default ${defaultPort})`] },
  { name: 'host', value: 'HOST', help: ['address or name to listen on (default 127.0.0.1)'] },
  { name: 'data-dir', value: 'DIR', help: [`where everything is kept (default ${defaultDataDirectory})`] },
  { name: 'ephemeral', help: ['keep everything in a temporary directory, in memory if there is room, and remove it at exit'] },
  {
    name: 'testing',
    help: ['lets tests make clusters, move their clocks, inject faults and read requests (see docs/testing.md)'],
  },
  { name: 'kubeconfig', value: 'FILE', help: ['where to write the kubeconfig (default DIR/kubeconfig)'] },
  {
    name: 'tls-cert',
    value: 'FILE',
    help: [
      'your own certificate chain, PEM (default: one is made);',
      'if its last certificate is self-signed, clients are told to trust that',
    ],
  },
  { name: 'tls-key', value: 'FILE', help: ['the private key of --tls-cert, PEM'] },
  {
    name: 'client-ca-file',
    value: 'FILE',
    help: [
      'the authorities whose certificates name clients, PEM: CN is the user, each O a group',
      '(default: no client is asked for one)',
    ],
  },
  {
    name: 'max-connections',
    value: 'N',
    help: [
      'how many connections may be open (default: two fifths of the descriptors of `ulimit -Hn`, at most 20000,',
      'or 5000 if the server ends TLS before workerd); then idle ones are closed first, and then new ones refused',
    ],
  },
  {
    name: 'spdy',
    help: ['serves exec, attach, cp and port-forward of kubectl before 1.31 (with --client-ca-file, they are served anyway)'],
  },
  {
    name: 'proxy-client-cert-file',
    value: 'FILE',
    help: ['the certificate that proves to other API servers that requests come from here, PEM (default: one is made)'],
  },
  { name: 'proxy-client-key-file', value: 'FILE', help: ['the private key of --proxy-client-cert-file, PEM'] },
  {
    name: 'requestheader-client-ca-file',
    value: 'FILE',
    help: ['the authorities of that certificate, as those servers are told, PEM'],
  },
  {
    name: 'requestheader-allowed-names',
    value: 'LIST',
    help: ['the common names that such a certificate may have, as those servers are told (default: any)'],
  },
  {
    name: 'kubelet-client-certificate',
    value: 'FILE',
    help: ['the certificate for kubelets that ask for one, PEM (default: there is none)'],
  },
  { name: 'kubelet-client-key', value: 'FILE', help: ['the private key of --kubelet-client-certificate, PEM'] },
  {
    name: 'kubelet-certificate-authority',
    value: 'FILE',
    help: ['the authorities of kubelets, PEM (default: their certificates are not verified)'],
  },
  {
    name: 'kubelet-preferred-address-types',
    value: 'LIST',
    help: [
      'the types of node addresses, the preferred first',
      '(default Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP)',
    ],
  },
  { name: 'audit-policy-file', value: 'FILE', help: ['which requests are recorded: a Policy of audit.k8s.io/v1'] },
  {
    name: 'audit-log-path',
    value: 'FILE',
    help: ['where to, one line of JSON for each event (default -, the standard output)'],
  },
  { name: 'audit-log-maxsize', value: 'MEGABYTES', help: ['a new file begins at this size (default: never)'] },
  { name: 'audit-log-maxbackup', value: 'N', help: ['how many earlier files are kept (default: all)'] },
  { name: 'audit-log-maxage', value: 'DAYS', help: ['how long earlier files are kept (default: for ever)'] },
  {
    name: 'cors-allowed-origins',
    value: 'LIST',
    help: ['regular expressions of the origins from which browsers may ask, separated by commas'],
  },
  {
    name: 'strict-transport-security-directives',
    value: 'LIST',
    help: ['directives of that header, separated by commas'],
  },
  {
    name: 'cluster-egress',
    value: 'LIST',
    help: [
      'what named clusters may connect to beside the public internet: hosts, addresses and CIDRs,',
      'separated by commas (default: nothing; 127.0.0.0/8,::1 with --ephemeral and with --testing)',
    ],
  },
  {
    name: 'service-routes',
    value: 'LIST',
    help: ['servers of the Services of webhooks and APIServices, separated by commas: NAMESPACE/NAME:PORT=https://HOST:PORT'],
  },
  {
    name: 'placement',
    value: 'PLACEMENT',
    help: [
      'the Durable Objects of a new cluster: `collections`, one for each collection (default),',
      'or `one-object`, one for all',
    ],
  },
  {
    name: 'cluster-domain',
    value: 'DOMAIN',
    help: ['a domain whose names all lead here: the cluster NAME answers at NAME.DOMAIN, too'],
  },
  {
    name: 'cluster-owner-limits',
    value: 'JSON',
    help: ['what those may have who make clusters and are no administrators, such as {"clusters":3,"expiry":"168h"}'],
  },
  {
    name: 'cluster-finalizer-seconds',
    value: 'SECONDS',
    help: ['how long finalizers keep the object of a cluster whose time is over; its data is gone (default 3600)'],
  },
  { name: 'public-page', value: 'STATE', help: ['`enabled`: browsers get a page at / that says what this is'] },
  {
    name: 'controllers',
    value: 'LIST',
    help: [
      'which controllers run, as kube-controller-manager reads it (default *):',
      '*,-garbage-collector-controller leaves that one to another program',
    ],
  },
  {
    name: 'emulated-version',
    value: 'RELEASE',
    help: ['the release of Kubernetes whose API is served, 1.15 to 1.36 (default 1.36)'],
  },
  {
    name: 'min-compatibility-version',
    value: 'RELEASE',
    help: ['the oldest release whose components this server works with (default: the one before the emulated release)'],
  },
  {
    name: 'emulation-forward-compatible',
    value: 'BOOLEAN',
    help: ['whether an emulated release has the later versions of its beta and stable resources too (default false)'],
  },
  {
    name: 'runtime-config',
    value: 'LIST',
    many: true,
    help: ['versions and resources that are on or off: api/beta=true,batch/v1=false,apps/v1/daemonsets=false'],
  },
  {
    name: 'runtime-config-emulation-forward-compatible',
    value: 'BOOLEAN',
    help: ['whether --runtime-config may name what came after the emulated release (default false)'],
  },
  {
    name: 'feature-gates',
    value: 'LIST',
    help: ['features of kube-apiserver 1.36 that are on or off: NAME=true,NAME=false'],
  },
  {
    name: 'watches',
    value: 'KIND',
    help: ['how events reach clients: streams (default), or sockets as on Cloudflare'],
  },
  { name: 'max-requests-inflight', value: 'N', help: ['requests that run at once, 0 for no limit (default 600)'] },
  { name: 'user-rate', value: 'RATE', help: ['requests a second of one user, or RATE:BURST (default: no limit)'] },
  { name: 'address-rate', value: 'RATE', help: ['the same of one address (default: no limit)'] },
  {
    name: 'cache-megabytes',
    value: 'N',
    help: [`memory of all caches together, 4 to 4096 (default ${localCacheMegabytes})`],
  },
  {
    name: 'authentication-config',
    value: 'FILE',
    help: ['issuers of OpenID Connect tokens, and who may be anonymous:', 'an AuthenticationConfiguration, YAML or JSON'],
  },
  { name: 'static-tokens', value: 'FILE', help: ['further bearer tokens and their holders (see docs/security.md)'] },
  {
    name: 'authentication-token-webhook-config-file',
    value: 'FILE',
    help: ['a webhook that knows further tokens: a kubeconfig'],
  },
  {
    name: 'authentication-token-webhook-cache-ttl',
    value: 'DURATION',
    help: ['how long its answers are repeated (default 2m)'],
  },
  {
    name: 'authorization-config',
    value: 'FILE',
    help: ['webhooks that decide beside roles and bindings: an AuthorizationConfiguration'],
  },
  {
    name: 'enable-admission-plugins',
    value: 'LIST',
    many: true,
    help: ['admission plugins of kube-apiserver 1.36 that are on, beside its defaults'],
  },
  {
    name: 'disable-admission-plugins',
    value: 'LIST',
    many: true,
    help: ['admission plugins of kube-apiserver 1.36 that are off'],
  },
  {
    name: 'admission-control-config-file',
    value: 'FILE',
    help: ['the configurations of admission plugins: an AdmissionConfiguration'],
  },
  {
    name: 'default-not-ready-toleration-seconds',
    value: 'N',
    help: ['how long Pods tolerate such a node unless they say so themselves (default 300)'],
  },
  {
    name: 'default-unreachable-toleration-seconds',
    value: 'N',
    help: ['how long Pods tolerate such a node unless they say so themselves (default 300)'],
  },
  ...operationsOptions,
]
