/** The Roles and RoleBindings that every cluster has, and the ClusterRoleBindings but for those of controllers. */
import type { Subject } from '../../../clusters/rbac-objects.ts'
import { type BootstrapRole, on } from './role.ts'

const user = (name: string): Subject => ({ kind: 'User', name })
const group = (name: string): Subject => ({ kind: 'Group', name })
const account = (name: string): Subject => ({ kind: 'ServiceAccount', name, namespace: 'kube-system' })

/** Whom each ClusterRole is bound to, by its name and that of the binding. */
export const clusterRoleBindings: Readonly<Record<string, readonly Subject[]>> = {
  'cluster-admin': [group('system:masters')],
  'system:basic-user': [group('system:authenticated')],
  'system:discovery': [group('system:authenticated')],
  'system:kube-controller-manager': [user('system:kube-controller-manager')],
  'system:kube-dns': [account('kube-dns')],
  'system:kube-scheduler': [user('system:kube-scheduler')],
  'system:monitoring': [group('system:monitoring')],
  'system:node': [],
  'system:node-proxier': [user('system:kube-proxy')],
  'system:public-info-viewer': [group('system:authenticated'), group('system:unauthenticated')],
  'system:service-account-issuer-discovery': [group('system:serviceaccounts')],
  'system:volume-scheduler': [user('system:kube-scheduler')],
}

/** A Role, and its binding where it has another name. */
export interface NamespacedRole extends BootstrapRole {
  readonly namespace: string
  readonly name: string
  readonly bindingName?: string
  readonly subjects: readonly Subject[]
}

const leases = [
  on('coordination.k8s.io', 'leases', 'create get list update watch'),
  on('coordination.k8s.io', 'leasecandidates', 'create get list update watch'),
]
const events = on('core events.k8s.io', 'events', 'create patch update')
const kubeSystem = 'kube-system'

/** Each Role with whom it is bound to. */
export const namespacedRoles: readonly NamespacedRole[] = [
  {
    namespace: 'kube-public',
    name: 'system:controller:bootstrap-signer',
    rules: [on('core', 'configmaps', 'get list watch'), on('core', 'configmaps', 'update', 'cluster-info'), events],
    subjects: [account('bootstrap-signer')],
  },
  {
    namespace: kubeSystem,
    name: 'extension-apiserver-authentication-reader',
    bindingName: 'system::extension-apiserver-authentication-reader',
    rules: [on('core', 'configmaps', 'get list watch', 'extension-apiserver-authentication')],
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler')],
  },
  {
    namespace: kubeSystem,
    name: 'system::leader-locking-kube-controller-manager',
    rules: leases,
    subjects: [user('system:kube-controller-manager'), account('kube-controller-manager'), account('leader-election-controller')],
  },
  {
    namespace: kubeSystem,
    name: 'system::leader-locking-kube-scheduler',
    rules: leases,
    subjects: [user('system:kube-scheduler'), account('kube-scheduler')],
  },
  {
    namespace: kubeSystem,
    name: 'system:controller:bootstrap-signer',
    rules: [on('core', 'secrets', 'get list watch')],
    subjects: [account('bootstrap-signer')],
  },
  {
    namespace: kubeSystem,
    name: 'system:controller:cloud-provider',
    rules: [on('core', 'configmaps', 'create get list watch')],
    subjects: [account('cloud-provider')],
  },
  {
    namespace: kubeSystem,
    name: 'system:controller:token-cleaner',
    rules: [on('core', 'secrets', 'delete get list watch'), events],
    subjects: [account('token-cleaner')],
  },
]
