/** An object is written under the name and in the namespace that the path gives. */
import type { Target } from '../clusters/operation.ts'
import { badRequest } from '../meta/errors.ts'

/** @throws ApiError 400 where a write would rename or move the object */
export function checkNameAndNamespace(meta: { readonly name?: string; readonly namespace?: string }, target: Target): void {
  checkNamespace(meta, target)
  if (meta.name === undefined || meta.name === '') {
    throw badRequest(`the name of the object (${target.name} based on URL) was undeterminable: name must be provided`)
  }
  if (meta.name !== target.name) {
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${target.name})`)
  }
}

/** @throws ApiError 400 where an object that says its namespace is sent to another one */
export function checkNamespace({ namespace = '' }: { readonly namespace?: string }, target: Target): void {
  if (target.namespace === '' || namespace === '' || namespace === target.namespace) return
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
}
