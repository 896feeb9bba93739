/// <reference types="@cloudflare/vitest-plugin/types" />

declare namespace Cloudflare {
  interface Env {
    readonly STORES: DurableObjectNamespace<import('./store-object.ts').StoreObject>
    readonly CONTROL: DurableObjectNamespace<import('./store-object.ts').Control>
  }
}
