/** Tells the control object of a named cluster that it exists, or that it is gone, in whichever jurisdiction it is. */
import type { ClusterUse, JurisdictionRedirect, WantedCluster } from '../../clusters/cluster-terms.ts'
import { controlProtocol } from '../../clusters/control-protocol.ts'
import { answerOf, exchange, type Message } from '../../clusters/message.ts'
import { type InnerStub, repeated } from '../../clusters/protocol.ts'
import { elsewhereIn } from '../../clusters/wire-error.ts'
import type { Kernel } from '../kernel.ts'

/** The most jurisdictions in which former clusters with one name are looked for. */
const mostMoves = 5

type Context = Pick<Kernel, 'clusterClient'>

/** The answer of a control object: of the cluster, or that the cluster is in another jurisdiction. */
type Answer = { readonly use: ClusterUse } | { readonly elsewhere: string }

/** Sends a message to the control object of a cluster in one place. */
function ask<Question>(control: () => InnerStub, told: Message<Question, ClusterUse>, question: Question): Promise<Answer> {
  return repeated(async () => {
    const response = await exchange(control(), told, question)
    const elsewhere = elsewhereIn(response)
    if (elsewhere === undefined) return { use: await answerOf(told, response) }
    await response.body?.cancel()
    return { elsewhere }
  })
}

/** Tells the cluster in one place. @param jurisdiction undefined for the place of the deployment */
function tellIn({ clusterClient }: Context, name: string, wanted: WantedCluster, jurisdiction?: string): Promise<Answer> {
  const client = clusterClient(name, { location: wanted.terms?.location, jurisdiction })
  return ask(() => client.control(), controlProtocol.setCluster, wanted)
}

/** Tells the object in the place of the deployment where the cluster is. */
function tellRedirect({ clusterClient }: Context, name: string, redirect: JurisdictionRedirect): Promise<Answer> {
  const client = clusterClient(name, {})
  return ask(() => client.control(), controlProtocol.setRedirect, redirect)
}

/** Tells the cluster in its place; one in another place is reported. */
async function tellOnce(context: Context, name: string, wanted: WantedCluster): Promise<Answer> {
  const { jurisdiction } = wanted.terms ?? {}
  if (jurisdiction === undefined || !context.clusterClient(name, { jurisdiction }).isApart) return tellIn(context, name, wanted)
  const answer = await tellRedirect(context, name, { jurisdiction })
  return 'elsewhere' in answer ? answer : tellIn(context, name, wanted, jurisdiction)
}

/**
 * Tells the control object of a cluster. Returns the usage of the cluster.
 * @throws ApiError of the control object
 */
export async function tell(context: Context, name: string, wanted: WantedCluster): Promise<ClusterUse> {
  for (let remaining = mostMoves; remaining > 0; remaining--) {
    const answer = await tellOnce(context, name, wanted)
    if ('use' in answer) return answer.use
    // An earlier cluster with this name is in another jurisdiction.
    const former = answer.elsewhere
    await tellIn(context, name, { uid: '', placement: wanted.placement }, former)
    await tellRedirect(context, name, { former })
  }
  throw new Error(`the cluster ${name} is in too many jurisdictions`)
}
