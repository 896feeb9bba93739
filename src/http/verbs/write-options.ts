/** What every write carries to the collection. */

import type { WriteOptions } from '../../clusters/operation.ts'
import type { WriteOptions as QueryOptions } from '../../meta/options.ts'
import { fieldManagerOf } from '../../meta/options.ts'

/** @param options of the query, checked */
export function writeOptions(options: QueryOptions, request: Request): WriteOptions {
  return {
    manager: fieldManagerOf(options.fieldManager, request.headers.get('user-agent') ?? ''),
    dryRun: options.dryRun.length > 0,
  }
}
