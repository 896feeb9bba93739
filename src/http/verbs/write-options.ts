/** What every write carries to the collection. */
import { managerName } from '../../apply/manager-name.ts'
import type { WriteOptions } from '../../clusters/operation.ts'
import type { WriteOptions as QueryOptions } from '../../meta/options.ts'

/** @param options of the query, checked */
export function writeOptions(options: QueryOptions, request: Request): WriteOptions {
  return {
    manager: managerName(options.fieldManager, request.headers.get('user-agent') ?? ''),
    dryRun: options.dryRun.length > 0,
  }
}
