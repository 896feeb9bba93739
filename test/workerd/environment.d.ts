/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly STORES: DurableObjectNamespace<import('./store-object.ts').StoreObject>
    readonly PLACEMENT: string
    readonly LIVE: Fetcher
    readonly COLLECTION: DurableObjectNamespace<import('./store-object.ts').Collection>
    readonly CONTROL: DurableObjectNamespace<import('./store-object.ts').Control>
  }
}

declare module '*.jsonl?raw' {
  const text: string
  export default text
}
