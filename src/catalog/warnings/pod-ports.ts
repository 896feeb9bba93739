/** Warnings of ports of a Pod that conflict with others. */
import type { WarningRecorder } from '../../meta/warnings.ts'
import type { ContainerPort, PodSpec } from '../generated/types/core.v1.ts'
import { containersOf } from '../validation/pod/windows.ts'

/** A port, its field path, and its place among all ports. */
interface PortField {
  readonly port: ContainerPort
  readonly at: string
  readonly place: number
}

/** A host port and an address, as a key. */
const addressOf = (hostPort: number, hostIP: string): string => `${hostPort}/${hostIP}`

function conflictOf(port: ContainerPort, other: ContainerPort): string {
  const { hostIP = '', hostPort = 0 } = port
  const { hostIP: otherIp = '', hostPort: otherPort = 0 } = other
  if (hostIP === otherIp && hostPort === otherPort) return 'duplicate'
  return hostPort === 0 || otherPort === 0 ? 'overlapping' : 'dangerously ambiguous'
}

/**
 * The ports with one number and protocol, so indexed that each port meets only those that it conflicts with: a Pod may have 30,000
 * ports, and as many of them as there are may conflict with none.
 */
class PortGroup {
  readonly #all: PortField[] = []
  readonly #withoutHostPort: PortField[] = []
  readonly #byHostPort = new Map<number, PortField[]>()
  readonly #byAddress = new Map<string, PortField[]>()

  /** Returns the ports in the group that conflict with a port, in their order. */
  conflictsOf({ hostIP = '', hostPort = 0 }: ContainerPort): readonly PortField[] {
    if (hostPort === 0) return this.#all
    const same =
      hostIP === ''
        ? (this.#byHostPort.get(hostPort) ?? [])
        : [hostIP, ''].flatMap((ip) => this.#byAddress.get(addressOf(hostPort, ip)) ?? [])
    return [...this.#withoutHostPort, ...same].sort((a, b) => a.place - b.place)
  }

  add(field: PortField): void {
    const { hostIP = '', hostPort = 0 } = field.port
    this.#all.push(field)
    if (hostPort === 0) this.#withoutHostPort.push(field)
    else {
      append(this.#byHostPort, hostPort, field)
      append(this.#byAddress, addressOf(hostPort, hostIP), field)
    }
  }
}

function append<Key>(lists: Map<Key, PortField[]>, key: Key, field: PortField): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [field])
  else list.push(field)
}

/** Formats a port as Go prints it. */
const formatPort = ({ name = '', hostPort = 0, containerPort, protocol = '', hostIP = '' }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`

/** Warns of ports that are the same, or may be the same, as earlier ones of the Pod. */
export function warnOfPorts(spec: PodSpec, field: string, warnings: WarningRecorder): void {
  const groups = new Map<string, PortGroup>()
  let place = 0
  for (const [{ ports = [] }, container] of containersOf(spec, field)) {
    for (const [index, port] of ports.entries()) {
      const at = `${container}.ports[${index}]`
      if ((port.hostIP ?? '') !== '' && (port.hostPort ?? 0) === 0) {
        warnings.add(`${at}: hostIP set without hostPort: ${formatPort(port)}`)
      }
      const key = `${port.containerPort}/${port.protocol}`
      const group = groups.get(key) ?? new PortGroup()
      groups.set(key, group)
      for (const other of group.conflictsOf(port)) {
        if (warnings.isFull) return
        warnings.add(`${at}: ${conflictOf(port, other.port)} port definition with ${other.at}`)
      }
      group.add({ port, at, place: place++ })
    }
  }
}
