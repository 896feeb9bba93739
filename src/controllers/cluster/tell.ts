/** Tells the control object of a named cluster that it exists, or that it is gone, in whichever jurisdiction it is. */
import { type ClusterUse, clusterRecordPath } from '../../clusters/cluster-terms.ts'
import { elsewhereIn, type Signpost, signpostPath } from '../../clusters/jurisdiction.ts'
import { collectionUrl, repeated } from '../../clusters/protocol.ts'
import { unwrap } from '../../clusters/wire-error.ts'
import type { ControllerContext } from '../controller.ts'
import type { WantedCluster } from './record.ts'

/** The most jurisdictions in which former clusters with one name are looked for. */
const mostMoves = 5

type Context = Pick<ControllerContext, 'clusterClient'>

/** The answer of a control object: of the cluster, or that the cluster is in another jurisdiction. */
type Answer = { readonly use: ClusterUse } | { readonly elsewhere: string }

/** Sends a request to the control object in one place. @param jurisdiction undefined for the place of the deployment */
function ask({ clusterClient }: Context, name: string, path: string, body: WantedCluster | Signpost, jurisdiction?: string) {
  const location = 'terms' in body ? body.terms?.location : undefined
  const client = clusterClient(name, { location, jurisdiction })
  return repeated(async (): Promise<Answer> => {
    const response = await client.control().fetch(collectionUrl + path, { method: 'PUT', body: JSON.stringify(body) })
    const elsewhere = elsewhereIn(response)
    if (elsewhere === undefined) return { use: (await (await unwrap(response)).json()) as ClusterUse }
    await response.body?.cancel()
    return { elsewhere }
  })
}

/** Tells the cluster in its place; one in another place is reported. */
async function tellOnce(context: Context, name: string, wanted: WantedCluster): Promise<Answer> {
  const { jurisdiction } = wanted.terms ?? {}
  if (jurisdiction === undefined || !context.clusterClient(name, { jurisdiction }).isApart)
    return ask(context, name, clusterRecordPath, wanted)
  const told = await ask(context, name, signpostPath, { jurisdiction })
  return 'elsewhere' in told ? told : ask(context, name, clusterRecordPath, wanted, jurisdiction)
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
    await ask(context, name, clusterRecordPath, { uid: '', placement: wanted.placement }, former)
    await ask(context, name, signpostPath, { former })
  }
  throw new Error(`the cluster ${name} is in too many jurisdictions`)
}
