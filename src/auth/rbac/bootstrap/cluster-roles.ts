/** The ClusterRoles that every cluster has, those of controllers left out. */
import { type BootstrapRole, on, urls } from './role.ts'

/** By name. */
export const clusterRoles: Readonly<Record<string, BootstrapRole>> = {
  admin: { aggregates: ['admin'] },
  'cluster-admin': { rules: [on('*', '*', '*'), urls('*', '*')] },
  edit: { aggregates: ['edit'], aggregatesTo: ['admin'] },
  'system:aggregate-to-admin': {
    aggregatesTo: ['admin'],
    rules: [
      on('authorization.k8s.io', 'localsubjectaccessreviews', 'create'),
      on('rbac.authorization.k8s.io', 'rolebindings roles', 'create delete deletecollection get list patch update watch'),
    ],
  },
  'system:aggregate-to-edit': {
    aggregatesTo: ['edit'],
    rules: [
      on('core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy', 'get list watch'),
      on('core', 'serviceaccounts', 'impersonate'),
      on('core', 'pods pods/attach pods/exec pods/portforward pods/proxy', 'create delete deletecollection patch update'),
      on('core', 'pods/eviction', 'create'),
      on(
        'core',
        'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
        'create delete deletecollection patch update',
      ),
      on('core', 'serviceaccounts/token', 'create'),
      on('core events.k8s.io', 'events', 'create delete deletecollection patch update'),
      on(
        'apps',
        'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
        'create delete deletecollection patch update',
      ),
      on('autoscaling', 'horizontalpodautoscalers', 'create delete deletecollection patch update'),
      on('batch', 'cronjobs jobs', 'create delete deletecollection patch update'),
      on(
        'extensions',
        'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
        'create delete deletecollection patch update',
      ),
      on('policy', 'poddisruptionbudgets', 'create delete deletecollection patch update'),
      on('networking.k8s.io', 'ingresses networkpolicies', 'create delete deletecollection patch update'),
      on('coordination.k8s.io', 'leases', 'create delete deletecollection get list patch update watch'),
      on('resource.k8s.io', 'resourceclaims resourceclaimtemplates', 'create delete deletecollection patch update'),
    ],
  },
  'system:aggregate-to-view': {
    aggregatesTo: ['view'],
    rules: [
      on(
        'core',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
        'get list watch',
      ),
      on(
        'core',
        'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
        'get list watch',
      ),
      on('core', 'namespaces', 'get list watch'),
      on('core events.k8s.io', 'events', 'get list watch'),
      on('discovery.k8s.io', 'endpointslices', 'get list watch'),
      on(
        'apps',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
        'get list watch',
      ),
      on('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', 'get list watch'),
      on('batch', 'cronjobs cronjobs/status jobs jobs/status', 'get list watch'),
      on(
        'extensions',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
        'get list watch',
      ),
      on('policy', 'poddisruptionbudgets poddisruptionbudgets/status', 'get list watch'),
      on('networking.k8s.io', 'ingresses ingresses/status networkpolicies', 'get list watch'),
      on('resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates', 'get list watch'),
    ],
  },
  'system:auth-delegator': {
    rules: [on('authentication.k8s.io', 'tokenreviews', 'create'), on('authorization.k8s.io', 'subjectaccessreviews', 'create')],
  },
  'system:basic-user': {
    rules: [
      on('authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews', 'create'),
      on('authentication.k8s.io', 'selfsubjectreviews', 'create'),
    ],
  },
  'system:certificates.k8s.io:certificatesigningrequests:nodeclient': {
    rules: [on('certificates.k8s.io', 'certificatesigningrequests/nodeclient', 'create')],
  },
  'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient': {
    rules: [on('certificates.k8s.io', 'certificatesigningrequests/selfnodeclient', 'create')],
  },
  'system:certificates.k8s.io:kube-apiserver-client-approver': {
    rules: [on('certificates.k8s.io', 'signers', 'approve', 'kubernetes.io/kube-apiserver-client')],
  },
  'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver': {
    rules: [on('certificates.k8s.io', 'signers', 'approve', 'kubernetes.io/kube-apiserver-client-kubelet')],
  },
  'system:certificates.k8s.io:kubelet-serving-approver': {
    rules: [on('certificates.k8s.io', 'signers', 'approve', 'kubernetes.io/kubelet-serving')],
  },
  'system:certificates.k8s.io:legacy-unknown-approver': {
    rules: [on('certificates.k8s.io', 'signers', 'approve', 'kubernetes.io/legacy-unknown')],
  },
  'system:discovery': {
    rules: [urls('/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/', 'get')],
  },
  'system:heapster': {
    rules: [on('core', 'events namespaces nodes pods', 'get list watch'), on('extensions', 'deployments', 'get list watch')],
  },
  'system:kube-aggregator': { rules: [on('core', 'endpoints services', 'get list watch')] },
  'system:kube-controller-manager': {
    rules: [
      on('core events.k8s.io', 'events', 'create patch update'),
      on('coordination.k8s.io', 'leases', 'create'),
      on('coordination.k8s.io', 'leases', 'get update', 'kube-controller-manager'),
      on('core', 'secrets serviceaccounts', 'create'),
      on('core', 'secrets', 'delete'),
      on('core', 'configmaps namespaces secrets serviceaccounts', 'get'),
      on('core', 'secrets serviceaccounts', 'update'),
      on('authentication.k8s.io', 'tokenreviews', 'create'),
      on('authorization.k8s.io', 'subjectaccessreviews', 'create'),
      on('*', '*', 'list watch'),
      on('core', 'serviceaccounts/token', 'create'),
    ],
  },
  'system:kube-dns': { rules: [on('core', 'endpoints services', 'list watch')] },
  'system:kube-scheduler': {
    rules: [
      on('core events.k8s.io', 'events', 'create patch update'),
      on('coordination.k8s.io', 'leases', 'create'),
      on('coordination.k8s.io', 'leases', 'get list update watch', 'kube-scheduler'),
      on('coordination.k8s.io', 'leasecandidates', 'create delete deletecollection get list patch update watch'),
      on('core', 'nodes', 'get list watch'),
      on('core', 'pods', 'delete get list watch'),
      on('core', 'bindings pods/binding', 'create'),
      on('core', 'pods/status', 'patch update'),
      on('core', 'replicationcontrollers services', 'get list watch'),
      on('apps extensions', 'replicasets', 'get list watch'),
      on('apps', 'statefulsets', 'get list watch'),
      on('policy', 'poddisruptionbudgets', 'get list watch'),
      on('core', 'persistentvolumeclaims persistentvolumes', 'get list watch'),
      on('authentication.k8s.io', 'tokenreviews', 'create'),
      on('authorization.k8s.io', 'subjectaccessreviews', 'create'),
      on('storage.k8s.io', 'csinodes', 'get list watch'),
      on('storage.k8s.io', 'volumeattachments', 'get list watch'),
      on('core', 'namespaces', 'get list watch'),
      on('storage.k8s.io', 'csidrivers', 'get list watch'),
      on('storage.k8s.io', 'csistoragecapacities', 'get list watch'),
      on('resource.k8s.io', 'deviceclasses', 'get list watch'),
      on('resource.k8s.io', 'resourceclaims', 'get list patch update watch'),
      on('resource.k8s.io', 'resourceclaims/status', 'get list patch update watch'),
      on('core', 'pods/finalizers', 'update'),
      on('resource.k8s.io', 'resourceslices', 'get list watch'),
      on('resource.k8s.io', 'resourceclaims', 'create delete'),
      on('resource.k8s.io', 'resourceclaims/binding', 'patch update'),
    ],
  },
  'system:kubelet-api-admin': {
    rules: [
      on('core', 'nodes', 'get list watch'),
      on('core', 'nodes', 'proxy'),
      on('core', 'nodes/log nodes/metrics nodes/proxy nodes/stats', '*'),
      on('core', 'nodes/configz nodes/healthz nodes/pods', '*'),
    ],
  },
  'system:monitoring': {
    rules: [
      urls('/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz', 'get'),
      on('core', 'nodes/metrics', 'get'),
    ],
  },
  'system:node': {
    rules: [
      on('authentication.k8s.io', 'tokenreviews', 'create'),
      on('authorization.k8s.io', 'localsubjectaccessreviews subjectaccessreviews', 'create'),
      on('core', 'services', 'get list watch'),
      on('core', 'nodes', 'create get list watch'),
      on('core', 'nodes/status', 'patch update'),
      on('core', 'nodes', 'patch update'),
      on('core events.k8s.io', 'events', 'create patch update'),
      on('core', 'pods', 'get list watch'),
      on('core', 'pods', 'create delete'),
      on('core', 'pods/status', 'patch update'),
      on('core', 'pods/eviction', 'create'),
      on('core', 'configmaps secrets', 'get list watch'),
      on('core', 'persistentvolumeclaims persistentvolumes', 'get'),
      on('core', 'endpoints', 'get'),
      on('certificates.k8s.io', 'certificatesigningrequests', 'create get list watch'),
      on('coordination.k8s.io', 'leases', 'create delete get patch update'),
      on('storage.k8s.io', 'volumeattachments', 'get'),
      on('core', 'serviceaccounts/token', 'create'),
      on('core', 'persistentvolumeclaims/status', 'get patch update'),
      on('storage.k8s.io', 'csidrivers', 'get list watch'),
      on('storage.k8s.io', 'csinodes', 'create delete get patch update'),
      on('node.k8s.io', 'runtimeclasses', 'get list watch'),
      on('resource.k8s.io', 'resourceclaims', 'get'),
      on('resource.k8s.io', 'resourceslices', 'deletecollection'),
      on('core', 'serviceaccounts', 'get'),
    ],
  },
  'system:node-bootstrapper': { rules: [on('certificates.k8s.io', 'certificatesigningrequests', 'create get list watch')] },
  'system:node-problem-detector': {
    rules: [
      on('core', 'nodes', 'get'),
      on('core', 'nodes/status', 'patch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:node-proxier': {
    rules: [
      on('core', 'endpoints services', 'list watch'),
      on('core', 'nodes', 'get list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
      on('networking.k8s.io', 'servicecidrs', 'list watch'),
      on('discovery.k8s.io', 'endpointslices', 'list watch'),
    ],
  },
  'system:persistent-volume-provisioner': {
    rules: [
      on('core', 'persistentvolumes', 'create delete get list watch'),
      on('core', 'persistentvolumeclaims', 'get list update watch'),
      on('storage.k8s.io', 'storageclasses', 'get list watch'),
      on('core', 'events', 'watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:public-info-viewer': { rules: [urls('/healthz /livez /readyz /version /version/', 'get')] },
  'system:service-account-issuer-discovery': {
    rules: [urls('/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/', 'get')],
  },
  'system:volume-scheduler': {
    rules: [
      on('core', 'persistentvolumes', 'get list patch update watch'),
      on('storage.k8s.io', 'storageclasses', 'get list watch'),
      on('core', 'persistentvolumeclaims', 'get list patch update watch'),
    ],
  },
  view: { aggregates: ['view'], aggregatesTo: ['edit'] },
}
