/**
 * Writes the types of a table as TypeScript interfaces of decoded objects (src/schema/decode.ts). A field that Go always writes
 * is required, and is null if it is an absent list, map, pointer or time. Every other field is optional.
 */
import type { FieldTable, TypeTable, VersionTable } from '../../src/schema/tables.ts'
import { comment, literal } from './render.ts'
import { splitReference, type TableIndex, tableName } from './type-references.ts'

/** A type in TypeScript. */
interface Written {
  readonly text: string
  /** Whether Go writes null for an absent value. */
  readonly nullable: boolean
  /** Whether `omitempty` omits an absent value. */
  readonly omittable: boolean
}

const scalar = (text: string): Written => ({ text, nullable: false, omittable: true })
const special = (text: string, nullable: boolean): Written => ({ text, nullable, omittable: false })

/** Types that are not generated from their tables. */
const KNOWN: Readonly<Record<string, Written>> = {
  string: scalar('string'),
  bool: scalar('boolean'),
  'time.Duration': scalar('number'),
  '[]byte': { text: 'string', nullable: true, omittable: true },
  'interface{}': special('JsonValue', true),
  'resource.Quantity': special('string', false),
  'intstr.IntOrString': special('number | string', false),
  'runtime.RawExtension': special('JsonValue', true),
  'runtime.Object': special('JsonValue', true),
  'meta/v1.Time': special('string', true),
  'meta/v1.MicroTime': special('string', true),
  'meta/v1.Duration': special('string', false),
  'meta/v1.FieldsV1': special('JsonValue', true),
  'meta/v1.ObjectMeta': special('ObjectMeta', false),
  'meta/v1.LabelSelector': special('LabelSelectorObject', false),
}

/** The modules of the names in KNOWN, relative to the folder of the types. */
const IMPORTS: readonly (readonly [name: string, from: string])[] = [
  ['LabelSelectorObject', '../../../meta/label-selector-object.ts'],
  ['JsonValue', '../../../go/json-value.ts'],
  ['KubernetesObject', '../../../meta/object-meta.ts'],
  ['ObjectMeta', '../../../meta/object-meta.ts'],
]

/** Returns the file of a table's types in the generated folder: `types/core.v1.ts`. */
export function typesFile(table: VersionTable): string {
  return `types/${table.package}.${table.version}.ts`
}

/** Writes the types of one table. */
class TypesWriter {
  private readonly imports = new Map<string, Set<string>>()
  private readonly table: VersionTable
  private readonly index: TableIndex

  constructor(table: VersionTable, index: TableIndex) {
    this.table = table
    this.index = index
  }

  write(): string {
    const types = Object.entries(this.table.types).map(([name, type]) => this.declaration(name, type))
    const imports = [...this.imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}'\n`)
    return `${imports.join('')}${types.join('')}`
  }

  private declaration(name: string, type: TypeTable): string {
    if (`${tableName(this.table)}.${name}` in KNOWN || isList(type)) return ''
    if ('alias' in type) {
      const target = this.index.type(type.alias)
      if (target !== undefined && isList(target)) return ''
      if (type.enum !== undefined) return `\nexport const ${name}: readonly string[] = ${literal(type.enum)}\n`
      const { text } = this.expression(type.alias)
      return /^(?:string|number|boolean)$/.test(text) ? '' : `\nexport type ${name} = ${text}\n`
    }
    if (type.customJson === true) return `\nexport type ${name} = ${this.named('JsonValue')}\n`
    const isObject = type.fields.metadata?.type === 'meta/v1.ObjectMeta' && 'kind' in type.fields
    const fields = Object.entries(type.fields).filter(([field]) => !isObject || !inKubernetesObject.has(field))
    const heading = isObject ? `${name} extends ${this.named('KubernetesObject')}` : name
    return `\nexport interface ${heading} {\n${fields.map(([field, table]) => this.field(field, table)).join('')}}\n`
  }

  private field(name: string, table: FieldTable): string {
    const isPointer = table.type.startsWith('*')
    const { text, nullable, omittable } = this.expression(table.type.replace(/^\*/, ''))
    const isAbsent = table.omitzero === true || (table.omitempty === true && (isPointer || omittable))
    const isNull = !isAbsent && (isPointer || nullable)
    return `  ${/^\w+$/.test(name) ? name : `'${name}'`}${isAbsent ? '?' : ''}: ${text}${isNull ? ' | null' : ''}\n`
  }

  private expression(type: string): Written {
    const known = Object.hasOwn(KNOWN, type) ? KNOWN[type] : undefined
    if (known !== undefined) {
      this.named(known.text)
      return known
    }
    if (/^(?:u?int|float)\d*$|^byte$/.test(type)) return scalar('number')
    if (type.startsWith('types.')) return scalar('string')
    if (type.startsWith('[]')) return { text: `${this.element(type.slice(2))}[]`, nullable: true, omittable: true }
    const value = /^map\[.*?\](.*)$/.exec(type)?.[1]
    if (value !== undefined) return { text: `Record<string, ${this.element(value)}>`, nullable: true, omittable: true }
    return this.reference(type)
  }

  /** Writes the type of a list's elements or of a map's values. */
  private element(type: string): string {
    const { text } = this.expression(type.replace(/^\*/, ''))
    return text.includes(' ') ? `(${text})` : text
  }

  private reference(reference: string): Written {
    const { table, name } = splitReference(reference)
    const type = this.index.type(reference)
    if (type === undefined) throw new Error(`no type ${reference}`)
    if ('alias' in type) {
      const resolved = this.expression(type.alias)
      if (/^(?:string|number|boolean)$/.test(resolved.text)) return resolved
      return { ...resolved, text: this.import(table, name) }
    }
    return special(this.import(table, name), type.customJson === true)
  }

  /** Returns the name of a type, and imports it if another table contains it. */
  private import(table: string, name: string): string {
    if (table !== tableName(this.table)) this.note(`./${table.replace('/', '.')}.ts`, name)
    return name
  }

  /** Returns the text, and imports the names of KNOWN in it. */
  private named(text: string): string {
    for (const [name, from] of IMPORTS) if (name === text) this.note(from, name)
    return text
  }

  private note(from: string, name: string): void {
    const names = this.imports.get(from) ?? new Set()
    this.imports.set(from, names.add(name))
  }
}

/** The fields that KubernetesObject declares. */
const inKubernetesObject: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata'])

/** Whether the type is the list of a kind. Lists are not generated: they are written and read as a stream of objects. */
function isList(type: TypeTable): boolean {
  return 'fields' in type && type.fields.metadata?.type === 'meta/v1.ListMeta' && 'items' in type.fields
}

/** Renders the module with the types of a table, and with the values of its enumerations. */
export function renderTypes(table: VersionTable, index: TableIndex): string {
  return `${comment}${new TypesWriter(table, index).write()}`
}
