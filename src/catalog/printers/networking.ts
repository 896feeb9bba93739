/** Table columns of networking.k8s.io and discovery.k8s.io. */
import type { JsonObject } from '../../go/json-value.ts'
import { ageOf, columnsOf, nameOf, printer, printersOf } from './column.ts'
import { loadBalancerAddresses } from './core/service.ts'
import { formatSelector, shortened } from './format.ts'
import type { Printer, Printers } from './printer.ts'
import { child, children, has, number, text, textMap, texts } from './read.ts'

const MOST = 3

/** Returns the hosts. As upstream, rules without a host are not printed, but counted among those left out. */
function hosts(ingress: JsonObject): string {
  const rules = children(child(ingress, 'spec'), 'rules')
  const printed: string[] = []
  for (const rule of rules) {
    if (printed.length === MOST) return `${printed.join(',')} + ${rules.length - MOST} more...`
    if (text(rule, 'host') !== '') printed.push(text(rule, 'host'))
  }
  return printed.join(',') || '*'
}

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class'

function className(ingressClass: JsonObject): string {
  const isDefault = textMap(child(ingressClass, 'metadata'), 'annotations')[DEFAULT_CLASS] === 'true'
  return `${nameOf(ingressClass)}${isDefault ? ' (default)' : ''}`
}

function classParameters(ingressClass: JsonObject): string {
  const spec = child(ingressClass, 'spec')
  if (!has(spec, 'parameters')) return '<none>'
  const parameters = child(spec, 'parameters')
  const group = has(parameters, 'apiGroup') ? `.${text(parameters, 'apiGroup')}` : ''
  return `${text(parameters, 'kind')}${group}/${text(parameters, 'name')}`
}

function parentReference(address: JsonObject): string {
  const spec = child(address, 'spec')
  if (!has(spec, 'parentRef')) return '<none>'
  const parent = child(spec, 'parentRef')
  const group = text(parent, 'group')
  const resource = `${text(parent, 'resource')}${group === '' ? '' : `.${group}`}`.toLowerCase()
  const namespace = text(parent, 'namespace')
  return `${resource}${namespace === '' ? '' : `/${namespace}`}/${text(parent, 'name')}`
}

const ipAddressColumns = printer(columnsOf('ipaddresses.networking.k8s.io', { ParentRef: parentReference }))

/** The printer of IPAddresses. As upstream, a row ends with the age, which has no column. */
const ipAddresses: Printer = {
  get columns() {
    return ipAddressColumns.columns
  },
  row: (object, now) => ({ cells: [...ipAddressColumns.row(object, now).cells, ageOf(object, now)] }),
}

/** Returns a port's number, or else its name; `*` for all ports. */
function endpointPort(port: JsonObject): string {
  if (has(port, 'port')) return String(number(port, 'port'))
  return has(port, 'name') ? text(port, 'name') : '*'
}

export const networkingPrinters: Printers = {
  ...printersOf({
    'endpointslices.discovery.k8s.io': {
      AddressType: (object) => text(object, 'addressType'),
      Ports: (object) => shortened(children(object, 'ports').map(endpointPort), MOST) || '<unset>',
      Endpoints: (object) => {
        const addresses = children(object, 'endpoints').flatMap((endpoint) => texts(endpoint, 'addresses'))
        return shortened(addresses, MOST) || '<unset>'
      },
    },
    'ingressclasses.networking.k8s.io': {
      Name: className,
      Controller: (object) => text(child(object, 'spec'), 'controller'),
      Parameters: classParameters,
    },
    'ingresses.networking.k8s.io': {
      Class: (object) => {
        const spec = child(object, 'spec')
        return has(spec, 'ingressClassName') ? text(spec, 'ingressClassName') : '<none>'
      },
      Hosts: hosts,
      Address: loadBalancerAddresses,
      Ports: (object) => (children(child(object, 'spec'), 'tls').length === 0 ? '80' : '80, 443'),
    },
    'networkpolicies.networking.k8s.io': {
      // An absent selector is printed like an empty one.
      'Pod-Selector': (object) => formatSelector({ podSelector: child(object, 'spec', 'podSelector') }, 'podSelector'),
    },
    'servicecidrs.networking.k8s.io': {
      CIDRs: (object) => texts(child(object, 'spec'), 'cidrs').join(','),
    },
  }),
  'ipaddresses.networking.k8s.io': ipAddresses,
}
