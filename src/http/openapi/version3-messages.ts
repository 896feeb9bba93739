/**
 * The protobuf messages of OpenAPI 3, limited to the fields that API documents use. Follows openapiv3/OpenAPIv3.proto of
 * github.com/google/gnostic-models.
 */
import { isReference, lists, type Message, many, one, within } from './message.ts'

const reference: Message = { fields: { $ref: one('text', 1), summary: one('text', 2), description: one('text', 3) } }

/** Describes a message that contains either the value or a reference to one of the components. */
const orReference = (message: () => Message): Message => ({
  oneOf: (value) => (isReference(value) ? within(2, () => reference) : within(1, message)),
})

const schemaOrReference = orReference(() => schema)
const named = (of: () => Message): Message => ({ entries: 1, of })

/** The message has no field for lists and objects: with such a default it is written empty. */
const defaultValue: Message = {
  oneOf: (value) => {
    if (typeof value === 'number') return one('double', 1)
    if (typeof value === 'boolean') return one('flag', 2)
    return typeof value === 'string' ? one('text', 3) : undefined
  },
}

const schemaOrBoolean: Message = {
  oneOf: (value) => (typeof value === 'boolean' ? one('flag', 2) : within(1, () => schemaOrReference)),
}

const schema: Message = {
  fields: {
    nullable: one('flag', 1),
    readOnly: one('flag', 3),
    writeOnly: one('flag', 4),
    externalDocs: within(6, () => ({ fields: { description: one('text', 1), url: one('text', 2) } })),
    example: one('any', 7),
    deprecated: one('flag', 8),
    title: one('text', 9),
    multipleOf: one('double', 10),
    maximum: one('double', 11),
    exclusiveMaximum: one('flag', 12),
    minimum: one('double', 13),
    exclusiveMinimum: one('flag', 14),
    maxLength: one('integer', 15),
    minLength: one('integer', 16),
    pattern: one('text', 17),
    maxItems: one('integer', 18),
    minItems: one('integer', 19),
    uniqueItems: one('flag', 20),
    maxProperties: one('integer', 21),
    minProperties: one('integer', 22),
    required: many('text', 23),
    enum: many('any', 24),
    type: one('text', 25),
    allOf: lists(26, () => schemaOrReference),
    oneOf: lists(27, () => schemaOrReference),
    anyOf: lists(28, () => schemaOrReference),
    not: within(29, () => schema),
    items: within(30, () => ({ wraps: within(1, () => schemaOrReference) })),
    properties: within(31, () => named(() => schemaOrReference)),
    additionalProperties: within(32, () => schemaOrBoolean),
    default: within(33, () => defaultValue),
    description: one('text', 34),
    format: one('text', 35),
  },
  extensions: 36,
}

const mediaType: Message = { fields: { schema: within(1, () => schemaOrReference) }, extensions: 5 }
const mediaTypes = named(() => mediaType)

const parameter: Message = {
  fields: {
    name: one('text', 1),
    in: one('text', 2),
    description: one('text', 3),
    required: one('flag', 4),
    schema: within(10, () => schemaOrReference),
  },
  extensions: 14,
}

const requestBody: Message = {
  fields: { description: one('text', 1), content: within(2, () => mediaTypes), required: one('flag', 3) },
  extensions: 4,
}

const response: Message = {
  fields: { description: one('text', 1), content: within(3, () => mediaTypes) },
  extensions: 5,
}

const operation: Message = {
  fields: {
    tags: many('text', 1),
    summary: one('text', 2),
    description: one('text', 3),
    operationId: one('text', 5),
    parameters: lists(6, () => orReference(() => parameter)),
    requestBody: within(7, () => orReference(() => requestBody)),
    responses: within(8, () => ({ entries: 2, of: () => orReference(() => response) })),
    deprecated: one('flag', 10),
  },
  extensions: 13,
}

const pathItem: Message = {
  fields: {
    $ref: one('text', 1),
    summary: one('text', 2),
    description: one('text', 3),
    get: within(4, () => operation),
    put: within(5, () => operation),
    post: within(6, () => operation),
    delete: within(7, () => operation),
    options: within(8, () => operation),
    head: within(9, () => operation),
    patch: within(10, () => operation),
    parameters: lists(13, () => orReference(() => parameter)),
  },
  extensions: 14,
}

const securityScheme: Message = {
  fields: { type: one('text', 1), description: one('text', 2), name: one('text', 3), in: one('text', 4) },
}

const components: Message = {
  fields: {
    schemas: within(1, () => named(() => schemaOrReference)),
    securitySchemes: within(7, () => named(() => orReference(() => securityScheme))),
  },
}

/** The message of the whole document. */
export const document3Message: Message = {
  fields: {
    openapi: one('text', 1),
    info: within(2, () => ({ fields: { title: one('text', 1), description: one('text', 2), version: one('text', 6) } })),
    paths: within(4, () => named(() => pathItem)),
    components: within(5, () => components),
  },
  extensions: 9,
}
