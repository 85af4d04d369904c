/** Signs paths of the API for a user, so that a browser can load them without a header. */
export interface PathSigner {
  sign(userId: string, path: string): string
}
