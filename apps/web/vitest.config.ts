import { mergeConfig } from 'vitest/config'
import viteConfig from './vite.config.ts'

export default mergeConfig(viteConfig, {
  test: {
    // by itself Vitest leaves one processor free, which on a machine of two is half of them
    maxWorkers: '100%',
  },
})
