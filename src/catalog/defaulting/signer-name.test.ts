import { expect, test } from 'vitest'
import { signerName } from './signer-name.ts'

/** Requests that openssl made, in the form of `spec.request`. */
const requests = {
  /** For /O=system:nodes/CN=system:node:a. */
  client: [
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIck1JR1JBZ0VBTUM4eEZUQVRCZ05WQkFvTURITjVjM1JsYlRwdWIyUmxjek',
    'VXTUJRR0ExVUVBd3dOYzNsegpkR1Z0T201dlpHVTZZVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSEEwSUFCRXh4bHVxdFFKSlRpM2Jq',
    'Ck5sU3pMMzhzWnJrOERQSzZ0Y3FnVXZoNk12ZC9YSGRIUFZ0NWJQNVdidEhGTGZWMGVRNTk0d0FmbmoxbFQvbW8KRUpNc05jMmdBREFLQmdncW',
    'hrak9QUVFEQWdOSkFEQkdBaUVBMjJVOFY5OTZYaTJxbjVBUXNxaU9sVm8wa2VtbAp2dCt0TUxrVGI4VXBRTWtDSVFEYVdEK21EWHAxc0krNlY0',
    'NVpiM0dnWmpvM3RFR2JXaEQzdnMyVmNUd1dldz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=',
  ].join(''),
  /** The same, with a DNS name and an address. */
  serving: [
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQkR6Q0J0Z0lCQURBdk1SVXdFd1lEVlFRS0RBeHplWE4wWlcwNmJtOWtaWE',
    '14RmpBVUJnTlZCQU1NRFhONQpjM1JsYlRwdWIyUmxPbUV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVJNY1picXJVQ1NVNHQy',
    'CjR6WlVzeTkvTEdhNVBBenl1clhLb0ZMNGVqTDNmMXgzUnoxYmVXeitWbTdSeFMzMWRIa09mZU1BSDU0OVpVLzUKcUJDVExEWE5vQ1V3SXdZSk',
    'tvWklodmNOQVFrT01SWXdGREFTQmdOVkhSRUVDekFKZ2dGaGh3UUtBQUFCTUFvRwpDQ3FHU000OUJBTUNBMGdBTUVVQ0lRQ05CL1p6QlkwN2lX',
    'U1NkbzlHUCsyeStNOXVac0RaZ1RVQ2h6ekJBRUtOCitnSWdQTURJOW9LQUFBN0lIVzBMQlpKdTA0cldOMmdNUzQyYUx2cDBWMDczanpRPQotLS',
    '0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K',
  ].join(''),
  /** The same, with a DNS name and an email address. */
  mail: [
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQkVUQ0J0d0lCQURBdk1SVXdFd1lEVlFRS0RBeHplWE4wWlcwNmJtOWtaWE',
    '14RmpBVUJnTlZCQU1NRFhONQpjM1JsYlRwdWIyUmxPbUV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQkJ3TkNBQVJNY1picXJVQ1NVNHQy',
    'CjR6WlVzeTkvTEdhNVBBenl1clhLb0ZMNGVqTDNmMXgzUnoxYmVXeitWbTdSeFMzMWRIa09mZU1BSDU0OVpVLzUKcUJDVExEWE5vQ1l3SkFZSk',
    'tvWklodmNOQVFrT01SY3dGVEFUQmdOVkhSRUVEREFLZ2dGaGdRVjRRSGt1ZWpBSwpCZ2dxaGtqT1BRUURBZ05KQURCR0FpRUF3WWUvWEtjdk5z',
    'eDBwa3hYemZJN0RCdFo2MUc4dWNFbjl4OW1Fd1dZCmhMQUNJUUQvQ0lIS2pBdWtmM1pjTnZDS1E5V0I5OElXNlVZY0pMdkY2ejlXSTZJaXpRPT',
    '0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==',
  ].join(''),
  /** For /O=system:nodes/CN=a. */
  other: [
    'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIZk1JR0ZBZ0VBTUNNeEZUQVRCZ05WQkFvTURITjVjM1JsYlRwdWIyUmxjek',
    'VLTUFnR0ExVUVBd3dCWVRCWgpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJFeHhsdXF0UUpKVGkzYmpObFN6TDM4c1pyazhEUEs2',
    'CnRjcWdVdmg2TXZkL1hIZEhQVnQ1YlA1V2J0SEZMZlYwZVE1OTR3QWZuajFsVC9tb0VKTXNOYzJnQURBS0JnZ3EKaGtqT1BRUURBZ05KQURCR0',
    'FpRUFvNTlWSzY1YkR1bFV4Vm5xZ1RXVmdNSGdRTC9HQXFubXgxRk82SmxBL01ZQwpJUURud09nMlNIL0VGUkhEMWhrcUUxVUZLVitzNWtYdUJt',
    'RWJ6dWVZTUdPRUZBPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==',
  ].join(''),
}

const clientUsages = ['digital signature', 'key encipherment', 'client auth']
const servingUsages = ['server auth', 'digital signature']

test.each([
  ['a client certificate of a kubelet', requests.client, clientUsages, 'kubernetes.io/kube-apiserver-client-kubelet'],
  ['a serving certificate of a kubelet', requests.serving, servingUsages, 'kubernetes.io/kubelet-serving'],
  ['a serving certificate without names', requests.client, servingUsages, 'kubernetes.io/legacy-unknown'],
  ['a client certificate with names', requests.serving, clientUsages, 'kubernetes.io/legacy-unknown'],
  ['a serving certificate with an email address', requests.mail, servingUsages, 'kubernetes.io/legacy-unknown'],
  ['a certificate that is not of a node', requests.other, clientUsages, 'kubernetes.io/legacy-unknown'],
  ['a certificate with other usages', requests.client, ['client auth'], 'kubernetes.io/legacy-unknown'],
  ['a request that is not one', 'AAAA', clientUsages, 'kubernetes.io/legacy-unknown'],
])('the signer of %s is the one that kube-apiserver sets', (_name, request, usages, signer) => {
  expect(signerName(request, usages)).toBe(signer)
})
