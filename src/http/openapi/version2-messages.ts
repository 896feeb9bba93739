/**
 * The protobuf messages of OpenAPI 2, limited to the fields that API documents use. Follows openapiv2/OpenAPIv2.proto of
 * github.com/google/gnostic-models.
 */
import { isIn, isReference, lists, type Message, many, one, within } from './message.ts'

const reference: Message = { fields: { $ref: one('text', 1), description: one('text', 2) } }
const typeItem: Message = { wraps: many('text', 1) }
const itemsItem: Message = { wraps: within(1, () => schema) }
/** If gnostic allows a schema or another type in a place, the schema is field 1. */
const schemaItem: Message = { wraps: within(1, () => schema) }
const additionalProperties: Message = {
  oneOf: (value) => (typeof value === 'boolean' ? one('flag', 2) : within(1, () => schema)),
}

const schema: Message = {
  fields: {
    $ref: one('text', 1),
    format: one('text', 2),
    title: one('text', 3),
    description: one('text', 4),
    default: one('any', 5),
    multipleOf: one('double', 6),
    maximum: one('double', 7),
    exclusiveMaximum: one('flag', 8),
    minimum: one('double', 9),
    exclusiveMinimum: one('flag', 10),
    maxLength: one('integer', 11),
    minLength: one('integer', 12),
    pattern: one('text', 13),
    maxItems: one('integer', 14),
    minItems: one('integer', 15),
    uniqueItems: one('flag', 16),
    maxProperties: one('integer', 17),
    minProperties: one('integer', 18),
    required: many('text', 19),
    enum: many('any', 20),
    additionalProperties: within(21, () => additionalProperties),
    type: within(22, () => typeItem),
    items: within(23, () => itemsItem),
    allOf: lists(24, () => schema),
    properties: within(25, () => ({ entries: 1, of: () => schema })),
    example: one('any', 30),
  },
  extensions: 31,
}

const response: Message = {
  fields: { description: one('text', 1), schema: within(2, () => schemaItem) },
  extensions: 5,
}

const responseValue: Message = {
  oneOf: (value) => (isReference(value) ? within(2, () => reference) : within(1, () => response)),
}

const bodyParameter: Message = {
  fields: {
    description: one('text', 1),
    name: one('text', 2),
    in: one('text', 3),
    required: one('flag', 4),
    schema: within(5, () => schema),
  },
}

const queryParameter: Message = {
  fields: {
    required: one('flag', 1),
    in: one('text', 2),
    description: one('text', 3),
    name: one('text', 4),
    type: one('text', 6),
    format: one('text', 7),
    uniqueItems: one('flag', 20),
  },
}

const pathParameter: Message = {
  fields: {
    required: one('flag', 1),
    in: one('text', 2),
    description: one('text', 3),
    name: one('text', 4),
    type: one('text', 5),
    format: one('text', 6),
    uniqueItems: one('flag', 19),
  },
}

const otherParameter: Message = {
  oneOf: (value) => (isIn(value, 'path') ? within(4, () => pathParameter) : within(3, () => queryParameter)),
}

const parameter: Message = {
  oneOf: (value) => (isIn(value, 'body') ? within(1, () => bodyParameter) : within(2, () => otherParameter)),
}

const parametersItem: Message = {
  oneOf: (value) => (isReference(value) ? within(2, () => reference) : within(1, () => parameter)),
}

const operation: Message = {
  fields: {
    tags: many('text', 1),
    summary: one('text', 2),
    description: one('text', 3),
    operationId: one('text', 5),
    produces: many('text', 6),
    consumes: many('text', 7),
    parameters: lists(8, () => parametersItem),
    responses: within(9, () => ({ entries: 1, of: () => responseValue })),
    schemes: many('text', 10),
    deprecated: one('flag', 11),
  },
  extensions: 13,
}

const pathItem: Message = {
  fields: {
    $ref: one('text', 1),
    get: within(2, () => operation),
    put: within(3, () => operation),
    post: within(4, () => operation),
    delete: within(5, () => operation),
    options: within(6, () => operation),
    head: within(7, () => operation),
    patch: within(8, () => operation),
    parameters: lists(9, () => parametersItem),
  },
  extensions: 10,
}

const info: Message = { fields: { title: one('text', 1), version: one('text', 2), description: one('text', 3) } }

const apiKeySecurity: Message = {
  fields: { type: one('text', 1), name: one('text', 2), in: one('text', 3), description: one('text', 4) },
}

const securityDefinition: Message = { wraps: within(2, () => apiKeySecurity) }

/** The message of the whole document. */
export const document2Message: Message = {
  fields: {
    swagger: one('text', 1),
    info: within(2, () => info),
    paths: within(8, () => ({ entries: 2, of: () => pathItem })),
    definitions: within(9, () => ({ entries: 1, of: () => schema })),
    parameters: within(10, () => ({ entries: 1, of: () => parameter })),
    security: lists(12, () => ({ entries: 1, of: () => typeItem })),
    securityDefinitions: within(13, () => ({ entries: 1, of: () => securityDefinition })),
  },
  extensions: 16,
}
