/** The local server itself: where it listens, what it keeps, and its certificate; the addresses and the place of any server. */
import { jurisdictions, locations } from '../../clusters/object-place.ts'
import { defaultDataDirectory } from '../data-directory.ts'
import { advertisedAddress, enabled, optionalOneOf } from './readers.ts'
import type { SettingTable } from './setting.ts'

export const serverSettings = {
  port: {
    flag: 'port',
    value: 'PORT',
    help: ['port to listen on, 0 for any free one (default {default})'],
    // As kube-apiserver.
    default: '6443',
    only: 'start',
  },
  host: {
    flag: 'host',
    value: 'HOST',
    help: ['address or name to listen on (default {default})'],
    default: '127.0.0.1',
    only: 'start',
  },
  dataDirectory: {
    flag: 'data-dir',
    value: 'DIR',
    help: ['where everything is kept (default {default})'],
    default: defaultDataDirectory,
    only: 'start',
  },
  ephemeral: {
    flag: 'ephemeral',
    help: ['keep everything in a temporary directory, in memory if there is room, and remove it at exit'],
    only: 'start',
  },
  testingServer: {
    flag: 'testing',
    help: ['lets tests make clusters, move their clocks, inject faults and read requests (see docs/testing.md)'],
    only: 'start',
  },
  /** For a server of one process, never for a deployment. */
  testing: { variable: 'TESTING', read: enabled, at: ['worker', 'object'] },
  kubeconfig: {
    flag: 'kubeconfig',
    value: 'FILE',
    help: ['where to write the kubeconfig (default DIR/kubeconfig)'],
    only: 'start',
  },
  tlsCertificate: {
    flag: 'tls-cert',
    value: 'FILE',
    help: [
      'your own certificate chain, PEM (default: one is made);',
      'if its last certificate is self-signed, clients are told to trust that',
    ],
    only: 'start',
  },
  tlsKey: { flag: 'tls-key', value: 'FILE', help: ['the private key of --tls-cert, PEM'], only: 'start' },
  clientCertificateAuthorities: {
    flag: 'client-ca-file',
    value: 'FILE',
    help: [
      'the authorities whose certificates name clients, PEM: CN is the user, each O a group',
      '(default: no client is asked for one)',
    ],
    file: true,
    only: 'start',
  },
  maxConnections: {
    flag: 'max-connections',
    value: 'N',
    help: [
      'how many connections may be open (default: two fifths of the descriptors of `ulimit -Hn`, at most 20000,',
      'or 5000 if the server ends TLS before workerd); then idle ones are closed first, and then new ones refused',
    ],
    only: 'start',
  },
  spdy: {
    flag: 'spdy',
    help: ['serves exec, attach, cp and port-forward of kubectl before 1.31 (with --client-ca-file, they are served anyway)'],
    only: 'start',
  },
  /** `host:port` at which clients reach the server. */
  serverAddress: { variable: 'SERVER_ADDRESS', at: ['worker', 'object'] },
  /** For the Endpoints of the Service `kubernetes`, which has none without it. */
  advertiseAddress: { variable: 'ADVERTISE_ADDRESS', read: advertisedAddress, at: ['object'] },
  location: {
    variable: 'LOCATION',
    flag: 'location',
    value: 'REGION',
    help: ['where objects are made, such as weur (default: near you)'],
    only: 'deploy',
    read: optionalOneOf(...locations),
    at: ['worker', 'object'],
  },
  jurisdiction: { variable: 'JURISDICTION', read: optionalOneOf(...jurisdictions), at: ['worker', 'object'] },
  /** The CA certificate of the server, PEM; it is published in every namespace. */
  rootCertificate: {
    variable: 'ROOT_CERTIFICATE',
    flag: 'root-certificate-file',
    value: 'FILE',
    help: ['authorities for the ConfigMap kube-root-ca.crt (default: there is none)'],
    file: true,
    only: 'deploy',
    at: ['worker', 'object'],
    long: true,
  },
  /** Settings come with the first request, which must have this as its bearer token: see http/late-settings.ts. */
  lateSettings: { variable: 'LATE_SETTINGS', at: ['worker'], secret: true },
  /** `none`: no proxy between the Worker and its clients compresses responses, so watches need not prevent it. */
  compression: { variable: 'COMPRESSION', read: optionalOneOf('none'), local: 'none', at: ['worker'] },
} as const satisfies SettingTable
