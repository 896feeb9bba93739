/** Calls between the control object and the collections about quotas, by inner paths. */
import { fetchInner, type InnerStub } from '../../clusters/protocol.ts'
import type { LimitedRanges, QuotaControl, ReserveAnswer, UsageAnswer, UsageQuestion } from './messages.ts'

/** The inner paths. */
export const quotaPaths = {
  reserve: '/quota/reserve',
  release: '/quota/release',
  recount: '/quota/recount',
  usage: '/quota/usage',
} as const

async function post(stub: InnerStub, path: string, message: unknown): Promise<Response> {
  const response = await fetchInner(stub, path, { method: 'POST', body: JSON.stringify(message) })
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
  return response
}

/** Returns the control object behind a stub. */
export function remoteQuotaControl(control: InnerStub): QuotaControl {
  return {
    reserve: async (message) => (await (await post(control, quotaPaths.reserve, message)).json()) as ReserveAnswer,
    release: async (reservation) => {
      await post(control, quotaPaths.release, reservation)
    },
    recount: async (ranges) => (await (await post(control, quotaPaths.recount, ranges)).json()) as LimitedRanges,
  }
}

/** Asks the collection behind a stub for the use of its objects. */
export async function askUsage(collection: InnerStub, question: UsageQuestion): Promise<UsageAnswer> {
  return (await (await post(collection, quotaPaths.usage, question)).json()) as UsageAnswer
}
