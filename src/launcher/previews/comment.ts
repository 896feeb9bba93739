/** The comment about a preview. It contains no credential, and nothing that the author of a branch can choose but its name as a label. */
import type { Cluster } from '../clusters/clusters.ts'

/** Returns the beginning of the comment about a preview, which people do not see. */
export const markOf = (name: string): string => `<!-- edgeplane preview ${name} -->`

/** Returns the text of the comment. @param cluster undefined if the preview is deleted */
export function commentOf(name: string, cluster: Cluster | undefined): string {
  if (cluster === undefined) return `The preview cluster \`${name}\` is deleted.\n`
  const { url = '', expiresAt } = cluster.status ?? {}
  const end = expiresAt === undefined ? '' : ` It ends with this pull request, and at ${expiresAt} at the latest.`
  const secret = cluster.status?.kubeconfigSecret
  return `The preview cluster \`${name}\` of this branch is ready: ${url}${end}

With access to the deployment, this writes its kubeconfig:

\`\`\`sh
npx --no-install edgeplane cluster kubeconfig ${name} > ${name}.kubeconfig
# or
kubectl get secret --namespace ${secret?.namespace} ${secret?.name} --output jsonpath='{.data.kubeconfig}' | base64 -d > ${name}.kubeconfig

kubectl --kubeconfig ${name}.kubeconfig get namespaces
\`\`\`
`
}
