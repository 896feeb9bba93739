/** The schemas of src/config/schemas as functions, compiled by ajv (scripts/validators.mjs). */
import type { SchemaValidator } from './document.ts'

export const validateAuthentication: SchemaValidator
export const validateAuthorization: SchemaValidator
export const validateAuditPolicy: SchemaValidator
