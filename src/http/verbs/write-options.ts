/** The options of every write operation. */

import type { WriteOptions } from '../../clusters/operation.ts'
import type { WriteOptions as QueryOptions } from '../../meta/options.ts'
import { fieldManagerOf } from '../../meta/options.ts'
import type { ResourceContext } from '../context.ts'

/** Returns the options of a write. @param options validated query parameters */
export function writeOptions(options: QueryOptions, { request, user }: ResourceContext): WriteOptions {
  return {
    manager: fieldManagerOf(options.fieldManager, request.headers.get('user-agent') ?? ''),
    dryRun: options.dryRun.length > 0,
    user,
  }
}
