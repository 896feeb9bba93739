/** DeleteOptions, from the body where there is one, else from the query. */
import { typeOf } from '../../catalog/catalogue.ts'
import type { DeleteOptions } from '../../clusters/operation.ts'
import { badRequest } from '../../meta/errors.ts'
import { parseJson } from '../../meta/json.ts'
import { JsonSyntaxError } from '../../meta/json-syntax.ts'
import { type DeleteOptions as GivenOptions, readDeleteOptions, validateDeleteOptions } from '../../meta/options.ts'
import { decode } from '../../schema/decode.ts'
import { DecodeError } from '../../schema/decode-run.ts'
import { negotiateInput } from '../codec/content-type.ts'
import { parseYaml } from '../codec/parse-yaml.ts'
import { readBody } from './body.ts'

/** What a deletion carries to the collection. */
export interface Deletion {
  readonly delete: DeleteOptions
  readonly dryRun: boolean
}

function decodeGiven(text: string, contentType: string | null): GivenOptions {
  try {
    const value = negotiateInput(contentType) === 'application/yaml' ? parseYaml(text).value : parseJson(text)
    return decode(typeOf('meta/v1.DeleteOptions'), value, { strict: false }).object as unknown as GivenOptions
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof DecodeError) throw badRequest(error.message)
    throw error
  }
}

function carried(given: GivenOptions): Deletion {
  const { preconditions, gracePeriodSeconds, propagationPolicy, orphanDependents, dryRun = [] } = given
  const policies = ['Orphan', 'Background', 'Foreground'] as const
  const policy = orphanDependents === true ? 'Orphan' : policies.find((p) => p === propagationPolicy)
  return {
    delete: {
      ...(preconditions?.uid !== undefined && { uid: preconditions.uid }),
      ...(preconditions?.resourceVersion !== undefined && { resourceVersion: preconditions.resourceVersion }),
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      ...(policy !== undefined && { propagationPolicy: policy }),
    },
    dryRun: dryRun.length > 0,
  }
}

/** @throws ApiError 400, 413, 415 and 422 for options that are none */
export async function readDeletion(request: Request, query: URLSearchParams): Promise<Deletion> {
  const text = await readBody(request)
  if (text === '') return carried(readDeleteOptions(query))
  const given = decodeGiven(text, request.headers.get('content-type'))
  validateDeleteOptions(given)
  return carried(given)
}
