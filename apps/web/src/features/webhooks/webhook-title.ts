import type { HookJson } from '@mira/shared'

/** Name of a webhook; the host of its URL when it has none. */
export function hookTitle({ name, url }: Pick<HookJson, 'name' | 'url'>): string {
  return name || (URL.parse(url)?.host ?? url)
}
