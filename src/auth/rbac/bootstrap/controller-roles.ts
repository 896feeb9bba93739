/** The ClusterRoles of the controllers. Each is bound to the ServiceAccount in kube-system that bears the last part of its name. */
import { type BootstrapRole, on } from './role.ts'

/** By name. */
export const controllerRoles: Readonly<Record<string, BootstrapRole>> = {
  'system:controller:attachdetach-controller': {
    rules: [
      on('core', 'persistentvolumeclaims persistentvolumes', 'list watch'),
      on('core', 'nodes', 'get list watch'),
      on('core', 'nodes/status', 'patch update'),
      on('core', 'pods', 'list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
      on('storage.k8s.io', 'volumeattachments', 'create delete get list watch'),
      on('storage.k8s.io', 'csidrivers', 'get list watch'),
      on('storage.k8s.io', 'csinodes', 'get list watch'),
    ],
  },
  'system:controller:certificate-controller': {
    rules: [
      on('certificates.k8s.io', 'certificatesigningrequests', 'delete get list watch'),
      on('certificates.k8s.io', 'certificatesigningrequests/approval certificatesigningrequests/status', 'update'),
      on('certificates.k8s.io', 'signers', 'approve', 'kubernetes.io/kube-apiserver-client-kubelet'),
      on(
        'certificates.k8s.io',
        'signers',
        'sign',
        'kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown',
      ),
      on('authorization.k8s.io', 'subjectaccessreviews', 'create'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:clusterrole-aggregation-controller': {
    rules: [on('rbac.authorization.k8s.io', 'clusterroles', 'escalate get list patch update watch')],
  },
  'system:controller:cronjob-controller': {
    rules: [
      on('batch', 'cronjobs', 'get list update watch'),
      on('batch', 'jobs', 'create delete get list patch update watch'),
      on('batch', 'cronjobs/status', 'update'),
      on('batch', 'cronjobs/finalizers', 'update'),
      on('core', 'pods', 'delete list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:daemon-set-controller': {
    rules: [
      on('apps extensions', 'daemonsets', 'get list watch'),
      on('apps extensions', 'daemonsets/status', 'update'),
      on('apps extensions', 'daemonsets/finalizers', 'update'),
      on('core', 'nodes', 'list watch'),
      on('core', 'pods', 'create delete list patch watch'),
      on('core', 'pods/binding', 'create'),
      on('apps', 'controllerrevisions', 'create delete get list patch update watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:deployment-controller': {
    rules: [
      on('apps extensions', 'deployments', 'get list update watch'),
      on('apps extensions', 'deployments/status', 'update'),
      on('apps extensions', 'deployments/finalizers', 'update'),
      on('apps extensions', 'replicasets', 'create delete get list patch update watch'),
      on('core', 'pods', 'get list update watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:device-taint-eviction-controller': {
    rules: [
      on('core', 'pods', 'delete get list watch'),
      on('core', 'pods/status', 'patch update'),
      on('resource.k8s.io', 'resourceclaims', 'get list watch'),
      on('resource.k8s.io', 'resourceslices', 'get list watch'),
      on('resource.k8s.io', 'deviceclasses', 'get list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:disruption-controller': {
    rules: [
      on('apps extensions', 'deployments', 'get list watch'),
      on('apps extensions', 'replicasets', 'get list watch'),
      on('core', 'replicationcontrollers', 'get list watch'),
      on('policy', 'poddisruptionbudgets', 'get list watch'),
      on('apps', 'statefulsets', 'get list watch'),
      on('policy', 'poddisruptionbudgets/status', 'update'),
      on('core', 'pods/status', 'patch update'),
      on('*', '*/scale', 'get'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:endpoint-controller': {
    rules: [
      on('core', 'pods services', 'get list watch'),
      on('core', 'endpoints', 'create delete get list update watch'),
      on('core', 'endpoints/restricted', 'create'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:endpointslice-controller': {
    rules: [
      on('core', 'nodes pods services', 'get list watch'),
      on('core', 'services/finalizers', 'update'),
      on('discovery.k8s.io', 'endpointslices', 'create delete get list update watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:endpointslicemirroring-controller': {
    rules: [
      on('core', 'endpoints services', 'get list watch'),
      on('core', 'services/finalizers', 'update'),
      on('core', 'endpoints/finalizers', 'update'),
      on('discovery.k8s.io', 'endpointslices', 'create delete get list update watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:ephemeral-volume-controller': {
    rules: [
      on('core', 'pods', 'get list watch'),
      on('core', 'pods/finalizers', 'update'),
      on('core', 'persistentvolumeclaims', 'create get list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:expand-controller': {
    rules: [
      on('core', 'persistentvolumes', 'get list patch update watch'),
      on('core', 'persistentvolumeclaims/status', 'patch update'),
      on('core', 'persistentvolumeclaims', 'get list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:generic-garbage-collector': {
    rules: [on('*', '*', 'delete get list patch update watch'), on('core events.k8s.io', 'events', 'create patch update')],
  },
  'system:controller:horizontal-pod-autoscaler': {
    rules: [
      on('autoscaling', 'horizontalpodautoscalers', 'get list watch'),
      on('autoscaling', 'horizontalpodautoscalers/status', 'update'),
      on('*', '*/scale', 'get update'),
      on('core', 'pods', 'list watch'),
      on('metrics.k8s.io', 'pods', 'list watch'),
      on('custom.metrics.k8s.io', '*', 'get list watch'),
      on('external.metrics.k8s.io', '*', 'get list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:job-controller': {
    rules: [
      on('batch', 'jobs', 'get list patch update watch'),
      on('batch', 'jobs/status', 'update'),
      on('batch', 'jobs/finalizers', 'update'),
      on('core', 'pods', 'create delete list patch watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:legacy-service-account-token-cleaner': {
    rules: [
      on('core', 'configmaps', 'get', 'kube-apiserver-legacy-service-account-token-tracking'),
      on('core', 'secrets', 'delete patch'),
    ],
  },
  'system:controller:namespace-controller': {
    rules: [
      on('core', 'namespaces', 'delete get list watch'),
      on('core', 'namespaces/finalize namespaces/status', 'update'),
      on('*', '*', 'delete deletecollection get list watch'),
    ],
  },
  'system:controller:node-controller': {
    rules: [
      on('core', 'nodes', 'delete get list patch update watch'),
      on('core', 'nodes/status', 'patch update'),
      on('core', 'pods/status', 'patch update'),
      on('core', 'pods', 'delete get list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:persistent-volume-binder': {
    rules: [
      on('core', 'persistentvolumes', 'create delete get list update watch'),
      on('core', 'persistentvolumes/status', 'update'),
      on('core', 'persistentvolumeclaims', 'get list update watch'),
      on('core', 'persistentvolumeclaims/status', 'update'),
      on('core', 'pods', 'create delete get list watch'),
      on('storage.k8s.io', 'storageclasses', 'get list watch'),
      on('core', 'nodes', 'list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
      on('core', 'events', 'watch'),
    ],
  },
  'system:controller:pod-garbage-collector': {
    rules: [on('core', 'pods', 'delete list watch'), on('core', 'nodes', 'get list watch'), on('core', 'pods/status', 'patch')],
  },
  'system:controller:pv-protection-controller': {
    rules: [on('core', 'persistentvolumes', 'get list update watch'), on('core events.k8s.io', 'events', 'create patch update')],
  },
  'system:controller:pvc-protection-controller': {
    rules: [
      on('core', 'persistentvolumeclaims', 'get list update watch'),
      on('core', 'persistentvolumeclaims/status', 'update'),
      on('core', 'pods', 'get list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:replicaset-controller': {
    rules: [
      on('apps extensions', 'replicasets', 'get list update watch'),
      on('apps extensions', 'replicasets/status', 'update'),
      on('apps extensions', 'replicasets/finalizers', 'update'),
      on('core', 'pods', 'create delete list patch watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:replication-controller': {
    rules: [
      on('core', 'replicationcontrollers', 'get list update watch'),
      on('core', 'replicationcontrollers/status', 'update'),
      on('core', 'replicationcontrollers/finalizers', 'update'),
      on('core', 'pods', 'create delete list patch watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:resource-claim-controller': {
    rules: [
      on('core', 'pods', 'get list watch'),
      on('core', 'pods/finalizers', 'update'),
      on('resource.k8s.io', 'resourceclaims', 'create delete get list watch'),
      on('resource.k8s.io', 'resourceclaims resourceclaims/status', 'patch update'),
      on('core', 'pods/status', 'patch update'),
      on('core events.k8s.io', 'events', 'create patch update'),
      on('resource.k8s.io', 'resourceclaims/binding', 'patch update'),
    ],
  },
  'system:controller:resourcequota-controller': {
    rules: [
      on('*', '*', 'list watch'),
      on('core', 'resourcequotas/status', 'update'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:root-ca-cert-publisher': {
    rules: [on('core', 'configmaps', 'create update'), on('core events.k8s.io', 'events', 'create patch update')],
  },
  'system:controller:route-controller': {
    rules: [
      on('core', 'nodes', 'list watch'),
      on('core', 'nodes/status', 'patch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:selinux-warning-controller': {
    rules: [
      on('core events.k8s.io', 'events', 'create patch update'),
      on('core', 'persistentvolumes', 'get list watch'),
      on('core', 'persistentvolumeclaims', 'get list watch'),
      on('core', 'pods', 'get list watch'),
      on('storage.k8s.io', 'csidrivers', 'get list watch'),
    ],
  },
  'system:controller:service-account-controller': {
    rules: [on('core', 'serviceaccounts', 'create'), on('core events.k8s.io', 'events', 'create patch update')],
  },
  'system:controller:service-cidrs-controller': {
    rules: [
      on('networking.k8s.io', 'servicecidrs', 'get list patch update watch'),
      on('networking.k8s.io', 'servicecidrs/finalizers', 'patch update'),
      on('networking.k8s.io', 'servicecidrs/status', 'patch update'),
      on('networking.k8s.io', 'ipaddresses', 'get list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:service-controller': {
    rules: [
      on('core', 'services', 'get list watch'),
      on('core', 'services/status', 'patch update'),
      on('core', 'nodes', 'list watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:statefulset-controller': {
    rules: [
      on('core', 'pods', 'list watch'),
      on('apps', 'statefulsets', 'get list watch'),
      on('apps', 'statefulsets/status', 'update'),
      on('apps', 'statefulsets/finalizers', 'update'),
      on('core', 'pods', 'create delete get patch update'),
      on('apps', 'controllerrevisions', 'create delete get list patch update watch'),
      on('core', 'persistentvolumeclaims', 'create get list watch'),
      on('core', 'persistentvolumeclaims', 'delete update'),
      on('core', 'pods/finalizers', 'update'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:ttl-after-finished-controller': {
    rules: [on('batch', 'jobs', 'delete get list watch'), on('core events.k8s.io', 'events', 'create patch update')],
  },
  'system:controller:ttl-controller': {
    rules: [on('core', 'nodes', 'list patch update watch'), on('core events.k8s.io', 'events', 'create patch update')],
  },
  'system:controller:validatingadmissionpolicy-status-controller': {
    rules: [
      on('admissionregistration.k8s.io', 'validatingadmissionpolicies', 'get list watch'),
      on('admissionregistration.k8s.io', 'validatingadmissionpolicies/status', 'get patch update'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
  'system:controller:volumeattributesclass-protection-controller': {
    rules: [
      on('core', 'persistentvolumeclaims', 'get list watch'),
      on('core', 'persistentvolumes', 'get list watch'),
      on('storage.k8s.io', 'volumeattributesclasses', 'get list update watch'),
      on('core events.k8s.io', 'events', 'create patch update'),
    ],
  },
}
