/** Allocation of the node ports of Services. Follows k8s.io/kubernetes/pkg/registry/core/service/storage/alloc.go. */
import type { Service } from '../../../catalog/generated/types/core.v1.ts'
import { mayHaveNodePort, needsHealthCheck, needsNodePort } from '../../../catalog/service-types.ts'
import { ApiError, internalError, invalid } from '../../../meta/errors.ts'
import { invalidValue } from '../../../meta/field-error.ts'
import type { StrategyContext } from '../../hooks.ts'
import { allocationsOf, type ValuesOf } from './allocations.ts'

const firstPort = 30000
const lastPort = 32767

const portsOf: ValuesOf = (object) => {
  const { ports = [], healthCheckNodePort = 0 } = (object as Service).spec
  return [...ports.map((port) => port.nodePort ?? 0), healthCheckNodePort].filter((port) => port !== 0).map(String)
}

/** The port allocations of one write (portallocator.PortAllocationOperation). */
class PortOperation {
  private readonly service: Service
  private readonly context: StrategyContext
  private readonly taken = new Set<number>()

  constructor(service: Service, context: StrategyContext) {
    this.service = service
    this.context = context
  }

  /** Allocates a port. Returns the reason if it is not available. */
  allocate(port: number): string | undefined {
    const isOutside = port < firstPort || port > lastPort
    if (isOutside && !this.context.write.dryRun) {
      return `provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`
    }
    if (!this.isFree(port)) return 'provided port is already allocated'
    this.take(port)
    return undefined
  }

  /** Allocates the next free port after a random one. */
  next(): number {
    if (this.context.write.dryRun) return this.take(this.afterTaken())
    const size = lastPort - firstPort + 1
    const start = this.context.services.names.number(size)
    for (let index = 0; index < size; index++) {
      const port = firstPort + ((start + index) % size)
      if (this.isFree(port)) return this.take(port)
    }
    throw internalError('failed to allocate a nodePort: range is full')
  }

  /** Returns the number that a dry run shows: the one after the largest of this write, or one outside of the range. */
  private afterTaken(): number {
    return Math.max(0, ...(this.taken.size === 0 ? [lastPort + 1] : this.taken)) + 1
  }

  private isFree(port: number): boolean {
    return !this.taken.has(port) && this.allocations().isFree(String(port), this.context)
  }

  private take(port: number): number {
    this.taken.add(port)
    if (!this.context.write.dryRun) this.allocations().take(String(port), this.service.metadata)
    return port
  }

  private allocations(): ReturnType<typeof allocationsOf> {
    return allocationsOf(this.context, 'services/', portsOf)
  }
}

function allocateStatic(service: Service, index: number, port: number, operation: PortOperation): void {
  const problem = operation.allocate(port)
  if (problem === undefined) return
  const error = invalidValue(`spec.ports[${index}].nodePort`, port, problem)
  throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [error])
}

/** Allocates the node ports of a new Service. Ports with equal numbers but different protocols share a node port. */
function allocateNew(service: Service, operation: PortOperation): void {
  const ports = service.spec.ports ?? []
  const shared = new Map<number, number>()
  const requested = new Map<number, number>()
  for (const { port, nodePort = 0 } of ports) if (nodePort !== 0 && !requested.has(port)) requested.set(port, nodePort)
  for (const [index, port] of ports.entries()) {
    const nodePort = port.nodePort ?? 0
    if (nodePort === 0 && !needsNodePort(service)) continue
    const given = shared.get(port.port)
    if (given === undefined) {
      const wanted = requested.get(port.port)
      if (wanted !== undefined) allocateStatic(service, index, wanted, operation)
      port.nodePort = wanted ?? operation.next()
      shared.set(port.port, port.nodePort)
    } else if (nodePort === 0) port.nodePort = given
    else if (nodePort !== given) allocateStatic(service, index, nodePort, operation)
  }
}

function allocateChanged(service: Service, old: Service, operation: PortOperation): void {
  const had = new Set((old.spec.ports ?? []).map((port) => port.nodePort ?? 0))
  const seen = new Set<string>()
  const allocated = new Set<number>()
  for (const [index, port] of (service.spec.ports ?? []).entries()) {
    const requested = port.nodePort ?? 0
    if (requested === 0 && !needsNodePort(service)) continue
    if (requested === 0) port.nodePort = operation.next()
    else if (!had.has(requested) && !allocated.has(requested)) {
      allocateStatic(service, index, requested, operation)
      allocated.add(requested)
    }
    const id = `${port.protocol ?? ''} ${port.nodePort ?? 0}`
    if (seen.has(id)) throw new ApiError(500, '', `duplicate nodePort: {${port.protocol ?? ''} ${port.nodePort ?? 0}}`)
    seen.add(id)
  }
}

function allocateHealthCheck(service: Service, operation: PortOperation): void {
  const requested = service.spec.healthCheckNodePort ?? 0
  const problem = requested === 0 ? undefined : operation.allocate(requested)
  if (problem !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${requested}: ${problem}`)
  if (requested === 0) service.spec.healthCheckNodePort = operation.next()
}

/**
 * Allocates the node ports that the type of a Service needs.
 * @param old absent for a create
 * @throws ApiError 422 if a requested port is not available
 */
export function allocateNodePorts(service: Service, old: Service | undefined, context: StrategyContext): void {
  const operation = new PortOperation(service, context)
  if (mayHaveNodePort(service)) {
    if (old === undefined) allocateNew(service, operation)
    else allocateChanged(service, old, operation)
  }
  const had = old !== undefined && needsHealthCheck(old)
  if (needsHealthCheck(service) && !had) allocateHealthCheck(service, operation)
}
