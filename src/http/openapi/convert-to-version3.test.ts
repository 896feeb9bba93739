import { expect, test } from 'vitest'
import { toVersion3 } from './convert-to-version3.ts'

const thing = { $ref: '#/definitions/Thing' }
const converted = { $ref: '#/components/schemas/Thing' }
const none = { paths: {}, definitions: {}, parameters: {} }

test('a reference beside other fields becomes a schema of its own, at every depth', () => {
  const described = { description: 'one', ...thing }
  const definitions = {
    Thing: {
      type: 'object',
      properties: {
        // A property may have the name of a keyword.
        items: described,
        plain: thing,
        list: { type: 'array', items: described },
        map: { type: 'object', additionalProperties: described },
        free: { type: 'object', additionalProperties: true },
      },
    },
  }
  const wrapped = { description: 'one', allOf: [converted] }
  expect(toVersion3({ ...none, definitions }).components).toEqual({
    schemas: {
      Thing: {
        type: 'object',
        properties: {
          items: wrapped,
          plain: converted,
          list: { type: 'array', items: wrapped },
          map: { type: 'object', additionalProperties: wrapped },
          free: { type: 'object', additionalProperties: true },
        },
      },
    },
  })
})

test('the types of bodies and responses become the keys of their contents', () => {
  const put = {
    operationId: 'putThing',
    consumes: ['application/json', 'application/yaml'],
    produces: ['application/json'],
    schemes: ['https'],
    parameters: [
      { name: 'body', in: 'body', required: true, schema: thing },
      { name: 'limit', in: 'query', type: 'integer', format: 'int32', uniqueItems: true },
      { $ref: '#/parameters/pretty' },
    ],
    responses: { 200: { description: 'OK', schema: thing }, 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': 'put',
  }
  const pretty = { name: 'pretty', in: 'query', type: 'string' }
  const document = toVersion3({ ...none, info: { title: 'old' }, paths: { '/things': { put } }, parameters: { pretty } })
  const schema = { schema: converted }
  expect(document).toEqual({
    openapi: '3.0.0',
    info: { title: 'old' },
    paths: {
      '/things': {
        put: {
          operationId: 'putThing',
          parameters: [
            { name: 'limit', in: 'query', schema: { type: 'integer', format: 'int32', uniqueItems: true } },
            { $ref: '#/components/parameters/pretty' },
          ],
          requestBody: { content: { 'application/json': schema, 'application/yaml': schema } },
          responses: {
            200: { description: 'OK', content: { 'application/json': schema } },
            401: { description: 'Unauthorized' },
          },
          'x-kubernetes-action': 'put',
        },
      },
    },
    components: { schemas: {}, parameters: { pretty: { name: 'pretty', in: 'query', schema: { type: 'string' } } } },
  })
})

test('what is not a part of a document is left out', () => {
  const paths = { '/a': 'no path', '/b': { get: { parameters: ['no parameter'], responses: 'none' }, trace: {} } }
  expect(toVersion3({ ...none, paths }).paths).toEqual({ '/b': { get: { responses: {} } } })
})
