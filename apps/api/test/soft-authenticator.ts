import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest()
const base64url = (data: Uint8Array) => Buffer.from(data).toString('base64url')

/** Deliberate faults in a response. */
export interface Deviation {
  origin?: string
  challenge?: string
  /** False when the device hasn't verified its user by fingerprint, face or PIN. */
  isVerified?: boolean
  /** Signature counter reported by the device. */
  counter?: number
}

/** Creates a software authenticator with one passkey for `host`. */
export function createSoftAuthenticator({ host, origin }: { host: string; origin: string }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  let signInCount = 0

  const clientData = (type: string, challenge: string, { origin: otherOrigin = origin }: Deviation) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: otherOrigin, crossOrigin: false }))

  const authenticatorData = (flags: number, { isVerified = true, counter = signInCount }: Deviation) => {
    const counts = Buffer.alloc(4)
    counts.writeUInt32BE(counter)
    return Buffer.concat([sha256(host), Buffer.from([flags | PRESENT | (isVerified ? VERIFIED : 0)]), counts])
  }

  const credential = { id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} }

  return {
    /** Responds to the options of a registration. */
    register(options: { challenge: string }, deviation: Deviation = {}) {
      const size = Buffer.alloc(2)
      size.writeUInt16BE(id.length)
      const attested = [Buffer.alloc(16), size, id, isoCBOR.encode(coseKey(publicKey))]
      const authData = new Uint8Array(Buffer.concat([authenticatorData(HAS_CREDENTIAL, deviation), ...attested]))
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ])
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', deviation.challenge ?? options.challenge, deviation)),
          attestationObject: base64url(isoCBOR.encode(attestation as never)),
          transports: ['internal'],
        },
      }
    },

    /** Responds to the options of a sign-in. */
    signIn(options: { challenge: string }, deviation: Deviation = {}) {
      signInCount += 1
      const data = clientData('webauthn.get', deviation.challenge ?? options.challenge, deviation)
      const authData = authenticatorData(0, deviation)
      return {
        ...credential,
        response: {
          clientDataJSON: base64url(data),
          authenticatorData: base64url(authData),
          signature: base64url(sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey)),
        },
      }
    },
  }
}

/** A public key of P-256 as COSE writes it: key type 2, algorithm -7, curve 1. */
function coseKey(publicKey: KeyObject): Map<number, number | Uint8Array> {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ])
}
