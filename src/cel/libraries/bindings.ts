/** `cel.bind(name, value, result)`: cel-go's library of bindings, which no environment of Kubernetes includes yet. */
import type { Library } from '../library.ts'
import { argumentAt, BadMacro } from '../macros.ts'

export const BINDINGS: Library = {
  functions: [],
  macros: [
    {
      name: 'bind',
      style: 'method',
      argumentCount: 3,
      expand: (nodes, target, args) => {
        if (target.kind !== 'identifier' || target.name !== 'cel') return undefined
        const variable = argumentAt(args, 0)
        if (variable.kind !== 'identifier')
          return new BadMacro(variable.offset, 'cel.bind() variable names must be simple identifiers')
        return nodes.bind(variable.name, argumentAt(args, 1), argumentAt(args, 2))
      },
    },
  ],
}
