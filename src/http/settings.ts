/** Settings of a deployment that are texts with a form of their own: read once, when the Worker is loaded. */
import { enabledControllers } from '../controllers/enabled.ts'
import type { AuditPolicy } from './audit/policy.ts'
import { readAuditPolicy } from './audit/read-policy.ts'
import { BrowserHeaders } from './chain/security-headers.ts'
import type { Rate } from './limits/token-buckets.ts'

/** The texts, as docs/configuration.md describes them. */
export interface SettingTexts {
  readonly AUDIT_POLICY?: string
  readonly USER_RATE?: string
  readonly ADDRESS_RATE?: string
  readonly CORS_ALLOWED_ORIGINS?: string
  readonly STRICT_TRANSPORT_SECURITY?: string
  readonly CONTROLLERS?: string
}

export interface Settings {
  /** Undefined where nothing is recorded. */
  readonly auditPolicy: AuditPolicy | undefined
  /** Undefined where nothing is limited. */
  readonly userRate: Rate | undefined
  readonly addressRate: Rate | undefined
  readonly browserHeaders: BrowserHeaders
}

/** `RATE` or `RATE:BURST`, in requests a second. */
function readRate(name: string, text: string): Rate | undefined {
  if (text === '') return undefined
  const [, perSecond = '', burst] = /^(\d+(?:\.\d+)?)(?::(\d+))?$/.exec(text) ?? []
  const rate = { perSecond: Number(perSecond), burst: Number(burst ?? Math.ceil(Number(perSecond) * 2)) }
  if (rate.perSecond > 0 && rate.burst >= 1) return rate
  throw new Error(`${name}: a rate is REQUESTS_PER_SECOND or REQUESTS_PER_SECOND:BURST, not ${JSON.stringify(text)}`)
}

/**
 * Reads them all. A deployment that cannot be understood must not start: it would let in, or leave unrecorded, what its operator did not mean.
 * @throws Error that tells what is wrong
 */
export function readSettings(texts: SettingTexts): Settings {
  const { AUDIT_POLICY = '', USER_RATE = '', ADDRESS_RATE = '' } = texts
  const { CORS_ALLOWED_ORIGINS = '', STRICT_TRANSPORT_SECURITY = '' } = texts
  // The Durable Objects read it, too; here it is refused before one is asked.
  enabledControllers(texts.CONTROLLERS ?? '')
  return {
    auditPolicy: AUDIT_POLICY === '' ? undefined : readAuditPolicy(AUDIT_POLICY),
    userRate: readRate('USER_RATE', USER_RATE),
    addressRate: readRate('ADDRESS_RATE', ADDRESS_RATE),
    browserHeaders: new BrowserHeaders({
      corsAllowedOrigins: CORS_ALLOWED_ORIGINS,
      strictTransportSecurity: STRICT_TRANSPORT_SECURITY,
    }),
  }
}
