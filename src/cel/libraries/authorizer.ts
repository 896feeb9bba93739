/**
 * The library of authorization checks. The caller provides the decisions; evaluation is synchronous, so they must be available
 * already.
 */
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../meta/names.ts'
import { textAt } from '../arguments.ts'
import { declare, type FunctionDeclaration, type Implementation, method } from '../declarations.ts'
import type { Library } from '../library.ts'
import { CelError, NO_SUCH_OVERLOAD, OpaqueValue, type Value } from '../value.ts'

/** An authorization check: of a non-resource path or a resource. */
export type AuthorizationCheck =
  | { readonly kind: 'path'; readonly path: string; readonly verb: string }
  | {
      readonly kind: 'resource'
      readonly group: string
      readonly resource: string
      readonly subresource: string
      readonly namespace: string
      readonly name: string
      readonly fieldSelector: string
      readonly labelSelector: string
      readonly verb: string
    }

/** The decision; `error` is '' without an error. */
export interface AuthorizationDecision {
  readonly allowed: boolean
  readonly reason: string
  readonly error: string
}

/** The subject of a check: the requesting user or a ServiceAccount. */
export type AuthorizationSubject =
  | { readonly kind: 'requester' }
  | { readonly kind: 'serviceAccount'; readonly namespace: string; readonly name: string }

/** Decides a check. */
export type Decide = (subject: AuthorizationSubject, check: AuthorizationCheck) => AuthorizationDecision

type Target = Omit<Extract<AuthorizationCheck, { kind: 'resource' }>, 'verb'>

const PREFIX = 'kubernetes.authorization'

/** A value without fields, only with functions. */
abstract class AuthorizationValue extends OpaqueValue {
  equals(other: Value): boolean | CelError {
    return other === this
  }

  show(): string {
    return this.typeName
  }
}

/** The value of the variable `authorizer`. */
export class AuthorizerValue extends AuthorizationValue {
  readonly typeName = `${PREFIX}.Authorizer`
  readonly decide: Decide
  readonly subject: AuthorizationSubject

  constructor(decide: Decide, subject: AuthorizationSubject = { kind: 'requester' }) {
    super()
    this.decide = decide
    this.subject = subject
  }
}

class PathCheckValue extends AuthorizationValue {
  readonly typeName = `${PREFIX}.PathCheck`
  readonly authorizer: AuthorizerValue
  readonly path: string

  constructor(authorizer: AuthorizerValue, path: string) {
    super()
    this.authorizer = authorizer
    this.path = path
  }
}

class GroupCheckValue extends AuthorizationValue {
  readonly typeName = `${PREFIX}.GroupCheck`
  readonly authorizer: AuthorizerValue
  readonly group: string

  constructor(authorizer: AuthorizerValue, group: string) {
    super()
    this.authorizer = authorizer
    this.group = group
  }
}

/** A resource check, also the value of `authorizer.requestResource`. */
export class ResourceCheckValue extends AuthorizationValue {
  readonly typeName = `${PREFIX}.ResourceCheck`
  readonly authorizer: AuthorizerValue
  readonly target: Target

  constructor(authorizer: AuthorizerValue, target: Target) {
    super()
    this.authorizer = authorizer
    this.target = target
  }
}

class DecisionValue extends AuthorizationValue {
  readonly typeName = `${PREFIX}.Decision`
  readonly decision: AuthorizationDecision

  constructor(decision: AuthorizationDecision) {
    super()
    this.decision = decision
  }
}

const path: Implementation = (args) => {
  const [authorizer] = args
  if (!(authorizer instanceof AuthorizerValue)) return NO_SUCH_OVERLOAD
  const text = textAt(args, 1)
  return text.trim() === '' ? new CelError('path must not be empty') : new PathCheckValue(authorizer, text)
}

const group: Implementation = (args) => {
  const [authorizer] = args
  return authorizer instanceof AuthorizerValue ? new GroupCheckValue(authorizer, textAt(args, 1)) : NO_SUCH_OVERLOAD
}

const serviceAccount: Implementation = (args) => {
  const [authorizer] = args
  const [namespace, name] = [textAt(args, 1), textAt(args, 2)]
  if (!(authorizer instanceof AuthorizerValue)) return NO_SUCH_OVERLOAD
  if (nameIsDnsSubdomain(name, false).length > 0) return new CelError('Invalid service account name')
  if (nameIsDnsLabel(namespace, false).length > 0) return new CelError('Invalid service account namespace')
  return new AuthorizerValue(authorizer.decide, { kind: 'serviceAccount', namespace, name })
}

const resource: Implementation = (args) => {
  const [check] = args
  const name = textAt(args, 1)
  if (!(check instanceof GroupCheckValue)) return NO_SUCH_OVERLOAD
  if (name.trim() === '') return new CelError('resource must not be empty')
  const rest = { subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: '' }
  return new ResourceCheckValue(check.authorizer, { kind: 'resource', group: check.group, resource: name, ...rest })
}

/** Declares a function that narrows a resource check. */
function narrowing(id: string, property: Exclude<keyof Target, 'kind' | 'group' | 'resource'>): FunctionDeclaration {
  const narrow: Implementation = (args) => {
    const [check] = args
    if (!(check instanceof ResourceCheckValue)) return NO_SUCH_OVERLOAD
    return new ResourceCheckValue(check.authorizer, { ...check.target, [property]: textAt(args, 1) })
  }
  return declare(property, method(id, `${PREFIX}.ResourceCheck, string`, `${PREFIX}.ResourceCheck`, narrow))
}

const check: Implementation = (args) => {
  const [check] = args
  const verb = textAt(args, 1)
  if (check instanceof PathCheckValue) {
    const { decide, subject } = check.authorizer
    return new DecisionValue(decide(subject, { kind: 'path', path: check.path, verb }))
  }
  if (!(check instanceof ResourceCheckValue)) return NO_SUCH_OVERLOAD
  const { decide, subject } = check.authorizer
  return new DecisionValue(decide(subject, { ...check.target, verb }))
}

const ofDecision =
  (read: (decision: AuthorizationDecision) => Value): Implementation =>
  ([value]) =>
    value instanceof DecisionValue ? read(value.decision) : NO_SUCH_OVERLOAD

const reading = (name: string, type: string, read: (decision: AuthorizationDecision) => Value): FunctionDeclaration =>
  declare(name, method(`decision_${name}`, `${PREFIX}.Decision`, type, ofDecision(read)))

/** Kubernetes' library of authorization checks, including selectors. */
export const AUTHORIZER: Library = {
  functions: [
    declare('path', method('authorizer_path', `${PREFIX}.Authorizer, string`, `${PREFIX}.PathCheck`, path)),
    declare('group', method('authorizer_group', `${PREFIX}.Authorizer, string`, `${PREFIX}.GroupCheck`, group)),
    declare(
      'serviceAccount',
      method('authorizer_serviceaccount', `${PREFIX}.Authorizer, string, string`, `${PREFIX}.Authorizer`, serviceAccount),
    ),
    declare('resource', method('groupcheck_resource', `${PREFIX}.GroupCheck, string`, `${PREFIX}.ResourceCheck`, resource)),
    narrowing('resourcecheck_subresource', 'subresource'),
    narrowing('resourcecheck_namespace', 'namespace'),
    narrowing('resourcecheck_name', 'name'),
    narrowing('authorizer_fieldselector', 'fieldSelector'),
    narrowing('authorizer_labelselector', 'labelSelector'),
    declare(
      'check',
      method('pathcheck_check', `${PREFIX}.PathCheck, string`, `${PREFIX}.Decision`, check),
      method('resourcecheck_check', `${PREFIX}.ResourceCheck, string`, `${PREFIX}.Decision`, check),
    ),
    reading('errored', 'bool', ({ error }) => error !== ''),
    reading('error', 'string', ({ error }) => error),
    reading('allowed', 'bool', ({ allowed }) => allowed),
    reading('reason', 'string', ({ reason }) => reason),
  ],
}
