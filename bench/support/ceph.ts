import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKillable, isOk, type Killable } from './killable.ts'

const ACCESS = { accessKeyId: 'mira-key', secretAccessKey: 'not-secret-at-all' }
const BUCKET = 'mira-files'
/** Dependency of the API package only. */
const SDK = '@aws-sdk/client-s3'

/** Ceph: a monitor, three disks that store everything twice, and an S3 gateway. */
export interface CephCluster {
  monitor: Killable
  disks: Killable[]
  gateway: Killable
  /** Environment variables of a server that stores its files there. */
  environment: Record<string, string>
}

/** Starts Ceph on files in a folder: a monitor, three OSDs of 5 GB and a gateway. */
export async function startCeph({ folder, port }: { folder: string; port: number }): Promise<CephCluster> {
  const monitorPort = port + 1
  for (const name of ['mon', 'osd0', 'osd1', 'osd2', 'run']) mkdirSync(join(folder, name), { recursive: true })
  const id = randomUUID()
  const config = join(folder, 'ceph.conf')
  writeFileSync(config, configOf(folder, id, monitorPort, port))
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, ['-c', config, ...args], { stdio: 'pipe', timeout: 120_000, env: environmentOf(config) })
  const program = (name: string, command: string[], isUp: () => Promise<boolean>): Killable =>
    createKillable({
      name,
      command: [...command, '-c', config, '-f'],
      environment: { CEPH_CONF: config },
      isFirst: true,
      logFile: join(folder, `${name}.log`),
      isUp,
    })
  const hasSocket = (name: string) => async () => existsSync(join(folder, 'run', `${name}.asok`))
  /** Runs a command with retries, because a busy monitor occasionally rejects it. */
  const runWithRetries = async (...args: string[]) => {
    for (let triesLeft = 20; ; triesLeft--) {
      try {
        return run('ceph', ...args)
      } catch (error) {
        if (triesLeft === 0) throw error
        await sleep(500)
      }
    }
  }

  const map = join(folder, 'monmap')
  execFileSync('monmaptool', ['--create', '--addv', 'a', `[v1:127.0.0.1:${monitorPort}]`, '--fsid', id, map])
  run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map)
  const monitor = program('ceph-mon', ['ceph-mon', '-i', 'a'], hasSocket('mon.a'))
  await monitor.start()
  const disks: Killable[] = []
  for (const number of ['0', '1', '2']) {
    const disk = randomUUID()
    await runWithRetries('osd', 'new', disk, number)
    run('ceph-osd', '-i', number, '--mkfs', '--osd-uuid', disk)
    const osd = program(`OSD ${number}`, ['ceph-osd', '-i', number], hasSocket(`osd.${number}`))
    await osd.start()
    await runWithRetries('osd', 'crush', 'add', `osd.${number}`, '1.0', 'root=default', 'host=h')
    const start = () => {
      rmSync(join(folder, 'run', `osd.${number}.asok`), { force: true })
      return osd.start()
    }
    disks.push({ ...osd, start })
  }
  const gateway = program('radosgw', ['radosgw', '-n', 'client.rgw.a'], () => isOk(`http://127.0.0.1:${port}/`))
  await gateway.start()
  const { accessKeyId, secretAccessKey } = ACCESS
  const keys = [`--access-key=${accessKeyId}`, `--secret=${secretAccessKey}`]
  run('radosgw-admin', 'user', 'create', '--uid=mira', '--display-name=mira', ...keys)
  const endpoint = `http://127.0.0.1:${port}`
  await createBucket(endpoint)
  return {
    ...{ monitor, disks, gateway },
    environment: {
      FILES_URL: `s3://${BUCKET}/home`,
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
  }
}

const environmentOf = (config: string) => ({ ...process.env, CEPH_CONF: config })

/** Retries, because a gateway that has just started may reject requests. */
async function createBucket(endpoint: string): Promise<void> {
  const require = createRequire(new URL('../../apps/api/package.json', import.meta.url))
  const { S3Client, CreateBucketCommand } = require(SDK)
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials: ACCESS, forcePathStyle: true })
  for (let triesLeft = 10; ; triesLeft--) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }))
      return
    } catch (error) {
      if (triesLeft === 0) throw error
      await sleep(2_000)
    }
  }
}

const configOf = (folder: string, id: string, monitorPort: number, port: number) => `[global]
fsid = ${id}
mon_host = v1:127.0.0.1:${monitorPort}/0
mon_initial_members = a
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
osd_pool_default_size = 2
osd_pool_default_min_size = 1
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_pool_default_pg_autoscale_mode = off
mon_max_pg_per_osd = 1000
osd_memory_target = 939524096
bluestore_block_size = 5368709120
osd_objectstore = bluestore
run_dir = ${folder}/run
admin_socket = ${folder}/run/$name.asok
pid_file = ${folder}/run/$name.pid
mon_data_avail_warn = 1
mon_data_avail_crit = 1
osd_class_load_list = *
osd_class_default_list = *
[mon.a]
mon_data = ${folder}/mon
[osd.0]
osd_data = ${folder}/osd0
[osd.1]
osd_data = ${folder}/osd1
[osd.2]
osd_data = ${folder}/osd2
[client.rgw.a]
rgw_frontends = beast endpoint=127.0.0.1:${port}
rgw_thread_pool_size = 32
`
