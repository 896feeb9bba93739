/** The flags of kube-apiserver 1.36 by the type of their values, with the names that its --help has for these. */
export const kubeApiserverFlags: Readonly<Record<string, string>> = {
  string: `
    admission-control-config-file allow-metric-labels-manifest audit-log-format audit-log-mode audit-log-path
    audit-log-version audit-policy-file audit-webhook-config-file audit-webhook-mode audit-webhook-version
    authentication-config authentication-token-webhook-config-file authentication-token-webhook-version
    authorization-config authorization-policy-file authorization-webhook-config-file authorization-webhook-version
    cert-dir client-ca-file debug-socket-path egress-selector-config-file encryption-provider-config
    endpoint-reconciler-type etcd-cafile etcd-certfile etcd-keyfile etcd-prefix external-hostname
    kubelet-certificate-authority kubelet-client-certificate kubelet-client-key logging-format oidc-ca-file oidc-client-id
    oidc-groups-claim oidc-groups-prefix oidc-issuer-url oidc-username-claim oidc-username-prefix peer-advertise-ip
    peer-advertise-port peer-ca-file proxy-client-cert-file proxy-client-key-file requestheader-client-ca-file
    service-account-jwks-uri service-account-signing-endpoint service-account-signing-key-file service-cluster-ip-range
    show-hidden-metrics-for-version storage-backend storage-media-type tls-cert-file tls-min-version tls-private-key-file
    token-auth-file tracing-config-file`,
  bool: `
    aggregator-reject-forwarding-redirect allow-privileged anonymous-auth audit-log-batch-throttle-enable
    audit-log-compress audit-log-truncate-enabled audit-webhook-batch-throttle-enable audit-webhook-truncate-enabled
    contention-profiling disable-http2-serving emulation-forward-compatible enable-aggregator-routing
    enable-bootstrap-token-auth enable-garbage-collector enable-logs-handler enable-priority-and-fairness
    encryption-provider-config-automatic-reload log-json-split-stream log-text-split-stream permit-address-sharing
    permit-port-sharing profiling runtime-config-emulation-forward-compatible service-account-extend-token-expiration
    service-account-lookup shutdown-send-retry-after watch-cache`,
  int: `
    audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-throttle-burst audit-log-maxage
    audit-log-maxbackup audit-log-maxsize audit-log-truncate-max-batch-size audit-log-truncate-max-event-size
    audit-webhook-batch-buffer-size audit-webhook-batch-max-size audit-webhook-batch-throttle-burst
    audit-webhook-truncate-max-batch-size audit-webhook-truncate-max-event-size default-not-ready-toleration-seconds
    default-unreachable-toleration-seconds delete-collection-workers http2-max-streams-per-connection
    kubernetes-service-node-port lease-reuse-duration-seconds max-connection-bytes-per-sec max-mutating-requests-inflight
    max-requests-inflight min-request-timeout secure-port`,
  duration: `
    audit-log-batch-max-wait audit-webhook-batch-max-wait audit-webhook-initial-backoff
    authentication-token-webhook-cache-ttl authorization-webhook-cache-authorized-ttl
    authorization-webhook-cache-unauthorized-ttl coordinated-leadership-lease-duration
    coordinated-leadership-renew-deadline coordinated-leadership-retry-period etcd-compaction-interval
    etcd-count-metric-poll-period etcd-db-metric-poll-interval etcd-healthcheck-timeout etcd-readycheck-timeout event-ttl
    kubelet-timeout livez-grace-period log-flush-frequency request-timeout service-account-max-token-expiration
    shutdown-delay-duration shutdown-watch-termination-grace-period storage-initialization-timeout`,
  strings: `
    admission-control api-audiences authorization-mode cors-allowed-origins disable-admission-plugins disabled-metrics
    emulated-version enable-admission-plugins etcd-servers etcd-servers-overrides kubelet-preferred-address-types
    min-compatibility-version oidc-signing-algs requestheader-allowed-names requestheader-extra-headers-prefix
    requestheader-group-headers requestheader-uid-headers requestheader-username-headers
    strict-transport-security-directives tls-cipher-suites watch-cache-sizes`,
  ip: 'advertise-address bind-address',
  float32: 'audit-log-batch-throttle-qps audit-webhook-batch-throttle-qps',
  mapStringString: 'oidc-required-claim runtime-config',
  stringArray: 'service-account-issuer service-account-key-file',
  quantity: 'log-json-info-buffer-size log-text-info-buffer-size',
  colonSeparatedMultimapStringString: 'feature-gates',
  float: 'goaway-chance',
  int32Slice: 'tls-curve-preferences',
  namedCertKey: 'tls-sni-cert-key',
  stringToString: 'allow-metric-labels',
  Level: 'v',
  'pattern=N,...': 'vmodule',
  portRange: 'service-node-port-range',
}
