import { setNonce } from 'get-nonce'

/**
 * Hands the nonce of this response to the libraries that add `<style>` elements (Radix dialogs, through
 * react-remove-scroll), so that the content security policy lets them in. Call it once, before the first render.
 *
 * The server writes the nonce into `<meta name="csp-nonce">`; without one nothing is set.
 */
export function applyStyleNonce(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
  if (nonce) setNonce(nonce)
}
