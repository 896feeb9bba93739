/** Recorded validation errors of kube-apiserver 1.36: devices and storage. */
import type { Changed, Created } from './validated.fixture.ts'

/** Rows of [kind, object, errors on create]. */
export const created: readonly Created[] = [
  [
    'resource.k8s.io/v1/deviceclasses',
    { spec: { selectors: [{}], config: [{}], extendedResourceName: 'cpu' } },
    [
      'spec.selectors[0].cel: Required value',
      'spec.config[0].opaque: Required value',
      'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
    ],
  ],
  [
    'resource.k8s.io/v1/resourceclaims',
    {
      spec: {
        devices: {
          requests: [
            { name: 'r' },
            { name: 'r', exactly: { deviceClassName: 'Bad_Class', allocationMode: 'Some' } },
            { name: 'Bad/Name', exactly: { deviceClassName: 'c', count: -1 } },
          ],
        },
      },
    },
    [
      'spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      "spec.devices.requests[1].exactly.deviceClassName: Invalid value: \"Bad_Class\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'spec.devices.requests[1].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
      "spec.devices.requests[2].name: Invalid value: \"Bad/Name\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.devices.requests[2].exactly.count: Invalid value: -1: must be greater than zero',
      'spec.devices.requests[1]: Duplicate value: "r"',
    ],
  ],
  [
    'resource.k8s.io/v1/resourceclaims',
    {
      spec: {
        devices: {
          requests: [
            {
              name: 'r',
              firstAvailable: [
                { name: 's', deviceClassName: '' },
                { name: 's', deviceClassName: 'c' },
              ],
            },
          ],
          constraints: [{ requests: ['nope', 'r/s'], matchAttribute: 'plain' }],
        },
      },
    },
    [
      'spec.devices.requests[0].firstAvailable[0].deviceClassName: Required value',
      'spec.devices.requests[0].firstAvailable[1]: Duplicate value: "s"',
      'spec.devices.constraints[0].requests[0]: Invalid value: "nope": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.constraints[0].matchAttribute: Invalid value: "plain": a fully qualified name must be a domain and a name separated by a slash',
    ],
  ],
  [
    'resource.k8s.io/v1/resourceclaims',
    {
      spec: {
        devices: {
          requests: [
            {
              name: 'r',
              exactly: {
                deviceClassName: 'c',
                allocationMode: 'All',
                count: 2,
                tolerations: [{ operator: 'Exists', value: 'v', effect: 'Push' }],
              },
            },
          ],
        },
      },
    },
    [
      "spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
      'spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "v": must be empty for operator `Exists`',
      'spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "Push": supported values: "NoExecute", "NoSchedule", "None"',
    ],
  ],
  [
    'resource.k8s.io/v1/resourceclaimtemplates',
    { spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: '' } }] } } } },
    ['spec.spec.devices.requests[0].exactly.deviceClassName: Required value'],
  ],
  [
    'resource.k8s.io/v1/resourceslices',
    { spec: { driver: '', pool: { name: '', generation: -1, resourceSliceCount: 0 }, nodeName: 'n', allNodes: true } },
    [
      'spec.driver: Required value',
      'spec.pool.name: Required value',
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
    ],
  ],
  [
    'resource.k8s.io/v1/resourceslices',
    {
      spec: {
        driver: 'd.example.com',
        pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [
          { name: 'Bad', attributes: { a: {}, 'b/c/d': { int: 1 } } },
          { name: 'x', attributes: { v: { version: '1' } }, taints: [{ key: '', effect: 'No' }] },
          { name: 'x' },
        ],
      },
    },
    [
      "spec.devices[0].name: Invalid value: \"Bad\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.devices[0].attributes[a]: Invalid value: "": exactly one value must be specified',
      'spec.devices[1].attributes[v].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0',
      'spec.devices[1].taints[0].key: Invalid value: "": name part must be non-empty',
      "spec.devices[1].taints[0].key: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.devices[1].taints[0].effect: Unsupported value: "No": supported values: "NoExecute", "NoSchedule", "None"',
      'spec.devices[2]: Duplicate value: "x"',
    ],
  ],
  [
    'storage.k8s.io/v1/storageclasses',
    {
      provisioner: 'Bad_P',
      reclaimPolicy: 'Recycle',
      volumeBindingMode: 'Later',
      parameters: { '': 'x' },
      allowedTopologies: [
        {
          matchLabelExpressions: [
            { key: 'k', values: ['a', 'a'] },
            { key: 'k', values: [] },
          ],
        },
      ],
    },
    [
      'parameters: Invalid value: "": field can not be empty.',
      'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
      'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
      'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"',
      'allowedTopologies[0].matchLabelExpressions[1].values: Required value',
      'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "k"',
    ],
  ],
  [
    'storage.k8s.io/v1/csidrivers',
    {
      spec: {
        fsGroupPolicy: 'Sometimes',
        volumeLifecycleModes: ['Brief'],
        tokenRequests: [{ audience: 'a', expirationSeconds: 5 }, { audience: 'a' }],
        nodeAllocatableUpdatePeriodSeconds: 1,
      },
    },
    [
      'spec.fsGroupPolicy: Unsupported value: "Sometimes": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.volumeLifecycleModes: Unsupported value: "Brief": supported values: "Persistent", "Ephemeral"',
      'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 1: must be greater than or equal to 10 seconds',
    ],
  ],
  [
    'storage.k8s.io/v1/csinodes',
    {
      spec: {
        drivers: [
          { name: 'd', nodeID: '', topologyKeys: ['a', 'a', '-'], allocatable: { count: -1 } },
          { name: 'd', nodeID: 'n' },
        ],
      },
    },
    [
      'spec.drivers[0].nodeID: Required value',
      'spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
      'spec.drivers[0]: Duplicate value: "a"',
      "spec.drivers[0]: Invalid value: \"-\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.drivers[1].name: Duplicate value: "d"',
    ],
  ],
  [
    'storage.k8s.io/v1/csistoragecapacities',
    { storageClassName: 'Bad_Class', capacity: '-1', maximumVolumeSize: '-2', nodeTopology: { matchLabels: { '-': 'x' } } },
    [
      "nodeTopology.matchLabels: Invalid value: \"-\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "storageClassName: Invalid value: \"Bad_Class\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'capacity: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    'storage.k8s.io/v1/volumeattachments',
    { spec: { attacher: '', nodeName: 'Bad_Node', source: {} } },
    [
      'spec.attacher: Required value',
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      "spec.nodeName: Invalid value: \"Bad_Node\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    'storage.k8s.io/v1/volumeattachments',
    { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p', inlineVolumeSpec: {} } } },
    ['spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  ],
  [
    'storage.k8s.io/v1/volumeattributesclasses',
    { driverName: 'Bad_D', parameters: {} },
    ['parameters: Required value: must contain at least one key/value pair'],
  ],
]

/** Rows of [kind, old object, new object, errors on update]. */
export const changed: readonly Changed[] = [
  [
    'storage.k8s.io/v1/storageclasses',
    { provisioner: 'p', volumeBindingMode: 'Immediate', reclaimPolicy: 'Delete' },
    { provisioner: 'q', volumeBindingMode: 'WaitForFirstConsumer', reclaimPolicy: 'Retain', parameters: { a: 'b' } },
    [
      'parameters: Invalid value: {"a":"b"}: field is immutable',
      'provisioner: Invalid value: "q": field is immutable',
      'reclaimPolicy: Invalid value: "Retain": field is immutable',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
  ],
  [
    'storage.k8s.io/v1/volumeattachments',
    { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    { spec: { attacher: 'b', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    [
      'spec: Invalid value: {"Attacher":"b","Source":{"PersistentVolumeName":"p","InlineVolumeSpec":null},"NodeName":"n"}: field is immutable',
    ],
  ],
  [
    'storage.k8s.io/v1/csistoragecapacities',
    { storageClassName: 'c' },
    { storageClassName: 'd', nodeTopology: {} },
    ['nodeTopology: Invalid value: {}: field is immutable', 'storageClassName: Invalid value: "d": field is immutable'],
  ],
  [
    'storage.k8s.io/v1/csinodes',
    { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: [] }] } },
    { spec: { drivers: [{ name: 'd', nodeID: 'o', topologyKeys: [] }] } },
    ['spec.drivers: Invalid value: {"Name":"d","NodeID":"o","TopologyKeys":[],"Allocatable":null}: field is immutable'],
  ],
  [
    'storage.k8s.io/v1/csidrivers',
    { spec: { attachRequired: true, volumeLifecycleModes: ['Persistent'] } },
    { spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] } },
    [
      'spec.attachedRequired: Invalid value: false: field is immutable',
      'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
    ],
  ],
  [
    'resource.k8s.io/v1/resourceclaims',
    { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } },
    { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c', adminAccess: null, count: 2 } }] } } },
    [
      'spec: Invalid value: {"Devices":{"Requests":[{"Name":"r","Exactly":{"DeviceClassName":"c","Selectors":null,"AllocationMode":"ExactCount","Count":2,"AdminAccess":null,"Tolerations":null,"Capacity":null},"FirstAvailable":null}],"Constraints":null,"Config":null}}: field is immutable',
    ],
  ],
  [
    'resource.k8s.io/v1/resourceclaimtemplates',
    { spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } } },
    { spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } } } },
    [
      'spec: Invalid value: {"Spec":{"Devices":{"Requests":[{"Name":"r","Exactly":{"DeviceClassName":"d","Selectors":null,"AllocationMode":"ExactCount","Count":1,"AdminAccess":null,"Tolerations":null,"Capacity":null},"FirstAvailable":null}],"Constraints":null,"Config":null}}}: field is immutable',
    ],
  ],
  [
    'resource.k8s.io/v1/resourceslices',
    { spec: { driver: 'd.example.com', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } } },
    { spec: { driver: 'e.example.com', nodeName: 'm', pool: { name: 'q', generation: 1, resourceSliceCount: 1 } } },
    [
      'spec.pool.name: Invalid value: "q": field is immutable',
      'spec.driver: Invalid value: "e.example.com": field is immutable',
      'spec.nodeName: Invalid value: "m": field is immutable',
    ],
  ],
]
