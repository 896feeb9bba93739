/** The library of regular expressions. */
import { intAt, textAt } from '../arguments.ts'
import { ArrayList } from '../collections.ts'
import { declare, type Implementation, method } from '../declarations.ts'
import type { Library } from '../library.ts'
import { compileRegex } from '../regex.ts'
import { CelError } from '../value.ts'

const illegal = (error: CelError): CelError => new CelError(`Illegal regex: ${error.message}`)

const find: Implementation = (args) => {
  const compiled = compileRegex(textAt(args, 1))
  return compiled instanceof CelError ? illegal(compiled) : compiled.find(textAt(args, 0))
}

const findAll: Implementation = (args) => {
  const compiled = compileRegex(textAt(args, 1))
  if (compiled instanceof CelError) return illegal(compiled)
  return new ArrayList(compiled.findAll(textAt(args, 0), args.length > 2 ? intAt(args, 2) : -1))
}

export const REGEX: Library = {
  functions: [
    declare('find', method('string_find_string', 'string, string', 'string', find)),
    declare(
      'findAll',
      method('string_find_all_string', 'string, string', 'list(string)', findAll),
      method('string_find_all_string_int', 'string, string, int', 'list(string)', findAll),
    ),
  ],
}
