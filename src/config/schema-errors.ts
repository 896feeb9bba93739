/** The schemas of src/config/schemas, which ajv has compiled to functions (scripts/validators.mjs). */
import {
  validateAdmission,
  validateAuditPolicy,
  validateAuthentication,
  validateAuthorization,
  validateEventRateLimit,
  validateImagePolicy,
  validatePodNodeSelector,
  validatePodSecurity,
  validatePodTolerationRestriction,
  validateResourceQuota,
  validateWebhookAdmission,
} from './validators.mjs'

/** An error of ajv without its message. */
export interface SchemaError {
  /** A JSON pointer. */
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
}

const validators = {
  admission: validateAdmission,
  auditPolicy: validateAuditPolicy,
  authentication: validateAuthentication,
  authorization: validateAuthorization,
  eventRateLimit: validateEventRateLimit,
  imagePolicy: validateImagePolicy,
  podNodeSelector: validatePodNodeSelector,
  podSecurity: validatePodSecurity,
  podTolerationRestriction: validatePodTolerationRestriction,
  resourceQuota: validateResourceQuota,
  webhookAdmission: validateWebhookAdmission,
}

/** The name of a schema. */
export type SchemaName = keyof typeof validators

/** Returns the errors of a value, none if it matches the schema. */
export function schemaErrors(schema: SchemaName, value: unknown): readonly SchemaError[] {
  const validate = validators[schema]
  return validate(value) ? [] : (validate.errors ?? [])
}
