/** What a deployment binds and sets, as wrangler.toml and the launcher give it to the Worker and its Durable Objects. */
import type { ObjectBindings } from '../clusters/objects.ts'

export interface Environment extends ObjectBindings {
  /** The bearer token of the administrator; a secret of the deployment. */
  readonly ADMIN_TOKEN?: string
  /** History is kept for at least so many seconds … */
  readonly HISTORY_SECONDS?: string
  /** … and at least so many events. */
  readonly HISTORY_EVENTS?: string
  /** From which Services get their addresses. */
  readonly SERVICE_CIDR?: string
  /** `host:port` at which clients reach the server. */
  readonly SERVER_ADDRESS?: string
}

const defaultHistory = { historySeconds: 300, historyEvents: 1000 }

function positive(text: string | undefined, otherwise: number): number {
  const value = Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise
}

/** How long history is kept. */
export function historyOf(environment: Environment): { readonly historySeconds: number; readonly historyEvents: number } {
  return {
    historySeconds: positive(environment.HISTORY_SECONDS, defaultHistory.historySeconds),
    historyEvents: positive(environment.HISTORY_EVENTS, defaultHistory.historyEvents),
  }
}

/** The address range of Services. */
export const serviceCidrOf = (environment: Environment): string => environment.SERVICE_CIDR || '10.0.0.0/16'
