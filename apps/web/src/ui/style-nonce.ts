import { setNonce } from 'get-nonce'

/**
 * Passes the page's nonce to the libraries that add `<style>` elements (Radix dialogs, through react-remove-scroll), so
 * that the content security policy allows these elements. Call it once, before the first render.
 *
 * The server writes the nonce into `<meta name="csp-nonce">`; without that element, nothing is set.
 */
export function applyStyleNonce(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
  if (nonce) setNonce(nonce)
}
