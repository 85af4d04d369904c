-- AlterTable
ALTER TABLE "users" ADD COLUMN     "link_epoch" UUID NOT NULL DEFAULT gen_random_uuid();

-- What opens a file is no part of what is kept of a call.
UPDATE agent_runs SET data = regexp_replace(data::text, '[?&]signature=[^"&]*', '', 'g')::jsonb
WHERE data::text LIKE '%signature=%';
