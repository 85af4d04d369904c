// The package has no types of its own; this is as much as the tests use.
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'
  export function decrypt(
    body: Buffer,
    parameters: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string },
  ): Buffer
}
