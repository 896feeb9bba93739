/** Where in a schema rules are looked at: what `self` is there, and how many times the rule may be asked of one object. */
import type { JsonSchema } from '../json-schema.ts'

/** A place in a schema, as rules see it. */
export class RuleContext {
  readonly schema: JsonSchema

  constructor(schema: JsonSchema) {
    this.schema = schema
  }

  property(_name: string, schema: JsonSchema): RuleContext {
    return new RuleContext(schema)
  }

  additional(schema: JsonSchema): RuleContext {
    return new RuleContext(schema)
  }

  items(schema: JsonSchema): RuleContext {
    return new RuleContext(schema)
  }
}
