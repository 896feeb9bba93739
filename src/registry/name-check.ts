/** Compares the name and namespace of an object with those of the request's path. */
import type { Target } from '../clusters/operation.ts'
import { badRequest } from '../meta/errors.ts'

/**
 * Checks the name and the namespace of an object.
 * @throws ApiError 400 if they differ from the path
 */
export function checkNameAndNamespace(meta: { readonly name?: string; readonly namespace?: string }, target: Target): void {
  checkNamespace(meta, target)
  if (meta.name === undefined || meta.name === '') {
    throw badRequest(`the name of the object (${target.name} based on URL) was undeterminable: name must be provided`)
  }
  if (meta.name !== target.name) {
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${target.name})`)
  }
}

/**
 * Checks the namespace of an object, if it has one.
 * @throws ApiError 400 if it differs from the path
 */
export function checkNamespace({ namespace = '' }: { readonly namespace?: string }, target: Target): void {
  if (target.namespace === '' || namespace === '' || namespace === target.namespace) return
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
}
