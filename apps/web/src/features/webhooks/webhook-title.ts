import type { HookJson } from '@mira/shared'

/** What a hook is called: by its name, else by where it leads. */
export function hookTitle({ name, url }: Pick<HookJson, 'name' | 'url'>): string {
  return name || (URL.parse(url)?.host ?? url)
}
