/** The schemas of src/config/schemas as functions, compiled by ajv (scripts/validators.mjs). */
import type { SchemaError } from './schema-errors.ts'

/** A schema compiled by ajv. */
interface SchemaValidator {
  (value: unknown): boolean
  readonly errors?: readonly SchemaError[] | null
}

export const validateAuthentication: SchemaValidator
export const validateAuthorization: SchemaValidator
export const validateAuditPolicy: SchemaValidator
export const validateAdmission: SchemaValidator
export const validatePodSecurity: SchemaValidator
export const validateResourceQuota: SchemaValidator
export const validateWebhookAdmission: SchemaValidator
export const validateEventRateLimit: SchemaValidator
export const validateImagePolicy: SchemaValidator
export const validatePodNodeSelector: SchemaValidator
export const validatePodTolerationRestriction: SchemaValidator
