import type { Pool } from 'pg'
import { raw, sql } from '../src/platform/database/sql.ts'

/** SQL condition for objects that belong to no extension. */
const isOfNoExtension = (catalog: string, oid = 'oid') =>
  `NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '${catalog}'::regclass AND d.objid = ${oid} AND d.deptype = 'e')`

/** Query of all objects of the schema: their kinds, names and definitions. */
const catalogSql = `
  SELECT 'extension' AS kind, extname::text AS name, concat_ws(' ', extversion, extnamespace::regnamespace) AS fact FROM pg_extension
  UNION ALL
  SELECT 'relation', oid::regclass::text,
    concat_ws(' ', relkind, relpersistence, relreplident, relrowsecurity, relhasrules, relacl, reloptions, relam)
    || CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(oid) ELSE '' END
  FROM pg_class WHERE relnamespace = 'public'::regnamespace AND ${isOfNoExtension('pg_class')}
  UNION ALL
  SELECT 'column', concat_ws('.', attrelid::regclass, attname),
    concat_ws(' ', format_type(atttypid, atttypmod), CASE WHEN attcollation <> 0 THEN attcollation::regcollation END,
      'null', NOT attnotnull, 'identity', attidentity, 'generated', attgenerated, 'default', pg_get_expr(adbin, adrelid),
      'kept', attstorage, attcompression, NULLIF(attstattarget, -1), attacl, attoptions)
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE attnum > 0 AND NOT attisdropped AND attrelid IN (
    SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm') AND ${isOfNoExtension('pg_class')})
  UNION ALL
  SELECT 'constraint', concat_ws('.', conrelid::regclass, conname),
    concat_ws(' ', contype, condeferrable, condeferred, convalidated, pg_get_constraintdef(oid))
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND ${isOfNoExtension('pg_constraint')}
  UNION ALL
  SELECT 'index', indexrelid::regclass::text,
    concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid, indisclustered, indisreplident, indimmediate)
  FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'trigger', concat_ws('.', tgrelid::regclass, tgname), concat_ws(' ', tgenabled, pg_get_triggerdef(oid))
  FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL
  SELECT 'function', oid::regprocedure::text, concat_ws(' ', proacl, procost, prorows, pg_get_functiondef(oid))
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind <> 'a' AND ${isOfNoExtension('pg_proc')}
  UNION ALL
  SELECT 'aggregate', aggfnoid::text, concat_ws(' ', aggtranstype::regtype, to_jsonb(a) - '{aggtranstype,aggmtranstype}'::text[])
  FROM pg_aggregate a WHERE ${isOfNoExtension('pg_proc', 'aggfnoid')} AND aggfnoid >= 16384
  UNION ALL
  SELECT 'sequence', seqrelid::regclass::text, concat_ws(' ', seqtypid::regtype, seqstart, seqincrement, seqmax, seqmin, seqcache,
    seqcycle, (SELECT concat_ws('.', refobjid::regclass, attname) FROM pg_depend JOIN pg_attribute
      ON attrelid = refobjid AND attnum = refobjsubid WHERE objid = seqrelid AND deptype IN ('a', 'i')))
  FROM pg_sequence WHERE ${isOfNoExtension('pg_class', 'seqrelid')}
  UNION ALL
  SELECT 'dictionary', oid::regdictionary::text, concat_ws(' ', dicttemplate, dictinitoption)
  FROM pg_ts_dict WHERE dictnamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'configuration', mapcfg::regconfig::text, concat_ws(' ', cfgparser, maptokentype, mapseqno, mapdict::regdictionary)
  FROM pg_ts_config_map JOIN pg_ts_config ON pg_ts_config.oid = mapcfg WHERE cfgnamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'comment', pg_describe_object(classoid, objoid, objsubid), description
  FROM pg_description WHERE objoid >= 16384 AND NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = classoid AND d.objid = objoid AND d.deptype = 'e')
  UNION ALL
  SELECT 'object', pg_describe_object(d.classid, d.objid, 0), count(*)::text
  FROM pg_depend d WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = d.classid AND e.objid = d.objid AND e.deptype = 'e')
  GROUP BY 2`

/** Reads the schema of a database, except the order of columns, and all its rows, as sorted lines. */
export async function catalogOf(pool: Pick<Pool, 'query'>): Promise<string[]> {
  const { rows } = await pool.query<{ kind: string; name: string; fact: string }>(catalogSql)
  const lines = rows.map(({ kind, name, fact }) => `${kind} ${name}: ${fact}`)
  const tables = rows.filter(({ kind, fact }) => kind === 'relation' && fact.startsWith('r '))
  for (const { name } of tables) {
    if (name === '_prisma_migrations') continue
    const stored = await pool.query<{ row: string }>(sql`SELECT to_jsonb(t)::text AS row FROM ${raw(name)} t`)
    lines.push(...stored.rows.map(({ row }) => `row of ${name}: ${row}`))
  }
  return lines.sort()
}
