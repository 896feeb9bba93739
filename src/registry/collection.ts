/** Performs the operations that reach a collection's Durable Object, and renders what they answer for the hop back. */

import type { Kind } from '../catalog/kind.ts'
import { auditHeader, errorResponse, type Operation, operationOf, warningsHeader } from '../clusters/operation.ts'
import { ApiError, unknownResource } from '../meta/errors.ts'
import { newUid } from '../meta/uid.ts'
import { boundWarnings } from '../meta/warnings.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { removeCollection } from './delete-collection.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { patch } from './patch.ts'
import type { Answer, Registry } from './registry.ts'
import { update } from './update.ts'
import { watch } from './watch.ts'

/**
 * The headers of an answer as the client gets it: one that needs no other form goes out as it is, and the Worker makes
 * no copy of it.
 */
const answerHeaders = (): Record<string, string> => ({
  'content-type': 'application/json',
  'cache-control': 'no-cache, private',
  [auditHeader]: newUid(),
})

function answered({ code, text, warnings = [] }: Answer): Response {
  const headers =
    warnings.length === 0 ? answerHeaders() : { ...answerHeaders(), [warningsHeader]: asciiJson(boundWarnings(warnings)) }
  return new Response(`${text}\n`, { status: code, headers })
}

const asciiJson = (texts: readonly string[]): string =>
  JSON.stringify(texts).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

async function perform(registry: Registry, kind: Kind, operation: Operation, request: Request): Promise<Response> {
  const { target } = operation
  switch (operation.verb) {
    case 'get':
      return answered(get(registry, kind, target, operation.resourceVersion))
    case 'list':
      return new Response(list(registry, kind, target, operation.list), { headers: answerHeaders() })
    case 'watch':
      return new Response(watch(registry, kind, target, operation.watch), { headers: answerHeaders() })
    case 'create':
      return answered(await create(registry, kind, target, operation.write, await request.text()))
    case 'update':
      return answered(await update(registry, kind, target, operation.write, await request.text()))
    case 'patch':
      return answered(await patch(registry, kind, target, operation.write, { ...operation, text: await request.text() }))
    case 'delete':
      return answered(await remove(registry, kind, target, operation.delete, operation.dryRun))
    case 'deletecollection':
      return new Response(await removeCollection(registry, kind, target, operation.list, operation.delete, operation.dryRun), {
        headers: answerHeaders(),
      })
  }
}

/** Answers an inner request. An ApiError travels back as such; anything else is left to the caller. */
export async function performOperation(registry: Registry, request: Request): Promise<Response> {
  const operation = operationOf(request)
  const { group, version, resource } = operation.target
  try {
    const kind = registry.kindOf(group, version, resource)
    if (kind === undefined) throw unknownResource()
    return await perform(registry, kind, operation, request)
  } catch (error) {
    if (error instanceof ApiError) return errorResponse(error)
    throw error
  }
}
