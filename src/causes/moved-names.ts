import type { PythonCall } from '../app/python/facts.ts';
import { groupsOf } from '../kernel/groups.ts';
import { once, onceFor } from '../kernel/once.ts';

/**
 * Modules and names with the versions of their package that have them, from its release notes. After a `:`, a keyword or a
 * text that a call takes; after a `!`, the one that it can do without, and how many values before it.
 */
const names = `
aioredis: create_redis_pool<2
anyio: start_blocking_portal<4
bcrypt: __about__<4.1
celery: decorators<5 task<5
click: _unicodefun<8.1 get_os_args<8.1
diffusers: FluxPipeline>=0.30 StableDiffusion3Pipeline>=0.29 StableVideoDiffusionPipeline>=0.24
django: conf.urls.url<4 contrib.postgres.fields.JSONField<4 core.urlresolvers<2 db.models.NullBooleanField<4 shortcuts.render_to_response<3 utils.encoding.force_text<4 utils.encoding.smart_text<4 utils.http.urlquote<4 utils.six<3 utils.timezone.utc<5 utils.translation.ugettext<4 utils.translation.ugettext_lazy<4
docker: Client<2
elasticsearch: RequestsHttpConnection<8
flask: _app_ctx_stack<2.3 _compat<2 _request_ctx_stack<2.3 escape<3 ext<1 Flask.before_first_request<2.3 helpers.safe_join<2.1 json.JSONDecoder<2.3 json.JSONEncoder<2.3 Markup<3 safe_join<2.1 send_file:attachment_filename<2.2 send_file:cache_timeout<2.2 Blueprint.before_app_first_request<2.3
gensim: models.wrappers<4 summarization<4
google: protobuf.internal.builder>=3.20 protobuf.MessageFactory.GetPrototype<6 protobuf.MessageToDict.including_default_value_fields<5 protobuf.MessageToJson.including_default_value_fields<5 protobuf.runtime_version>=5.26
gradio: inputs<4 outputs<4 Blocks.launch:enable_queue<4 Blocks.queue:concurrency_count<4 Image:source<4 Image:tool<4
httpx: AsyncClient:app<0.28 AsyncClient:proxies<0.28 Client:app<0.28 Client:proxies<0.28 get:proxies<0.28 post:proxies<0.28
huggingface_hub: cached_download<0.26 HfFolder<1 Repository<1 split_torch_state_dict_into_shards>=0.22 utils._errors<0.25
itsdangerous: json<2.1 JSONWebSignatureSerializer<2.1 TimedJSONWebSignatureSerializer<2.1
jax: linear_util<0.4.24 random.KeyArray<0.4.24
jinja2: contextfilter<3.1 environmentfilter<3.1 escape<3.1 evalcontextfilter<3.1 ext.autoescape<3.1 Markup<3.1
jwt: decode!algorithms|options@2<2
langchain: callbacks<1 chains<1 chat_models<0.2 docstore<1 document_loaders<0.2 embeddings<0.2 llms<0.2 memory<1 prompts<1 retrievers<1 schema<1 text_splitter<1 vectorstores<0.2 agents.AgentExecutor<1 agents.AgentType<1 agents.initialize_agent<1 hub<1 output_parsers<1
langchain_core: pydantic_v1<1
lightgbm: LGBMClassifier.fit:early_stopping_rounds<4 LGBMRegressor.fit:early_stopping_rounds<4 train:early_stopping_rounds<4 train:verbose_eval<4
llama_index: GPTVectorStoreIndex<0.10 ServiceContext<0.10 SimpleDirectoryReader<0.10 VectorStoreIndex<0.10
markupsafe: soft_unicode<2.1
marshmallow: __version_info__<4
matplotlib: cm.get_cmap<3.9 pyplot.style.use:seaborn-darkgrid<3.8 pyplot.style.use:seaborn-white<3.8 pyplot.style.use:seaborn-whitegrid<3.8 pyplot.style.use:seaborn<3.8
ml_dtypes: float4_e2m1fn>=0.5
moviepy: editor<2 VideoClip.set_audio<2 VideoClip.set_duration<2 VideoClip.subclip<2
networkx: from_numpy_matrix<3 read_gpickle<3 to_numpy_matrix<3 write_gpickle<3
numpy: alltrue<2 asscalar<1.23 bool8<2 bool<1.24 cast<2 complex<1.24 complex_<2 cumproduct<2 exceptions>=1.25 float<1.24 float_<2 Inf<2 infty<2 int<1.24 long<1.24 msort<2 NaN<2 obj2sctype<2 object<1.24 product<2 round_<2 sctypes<2 sometrue<2 str<1.24 string_<2 typeDict<1.24 unicode_<2 in1d<2.4 trapz<2.4
openai: AsyncOpenAI>=1 Audio<1 ChatCompletion<1 Completion<1 Embedding<1 embeddings_utils<1 error<1 Image<1 Model<1 Moderation<1 OpenAI>=1 RateLimitError>=1
packaging: licenses>=24.2 specifiers.LegacySpecifier<22 version.LegacyVersion<22
pandas: core.indexes.numeric<2 DataFrame.append<2 DataFrame.as_matrix<1 DataFrame.iteritems<2 DataFrame.ix<1 datetime<2 Float64Index<2 Int64Index<2 np<2 Panel<1 Series.append<2 Series.iteritems<2 util.testing<2 DataFrame.append:ignore_index<2 DataFrame.lookup<2 DataFrame.to_csv:line_terminator<2 date_range:closed<2 read_csv:error_bad_lines<2 read_csv:squeeze<2 read_csv:warn_bad_lines<2 DataFrame.applymap<3 read_csv:delim_whitespace<3
peft: prepare_model_for_int8_training<0.10
PIL: FreeTypeFont.getsize<10 Image.ANTIALIAS<10 Image.CUBIC<10 Image.LINEAR<10 Image.Resampling>=9.1 ImageDraw.textsize<10 PILLOW_VERSION<7 ImageFont.load_default:size>=10.1
pinecone: init<3
pipecat: audio.interruptions<1 frames.frames.BotInterruptionFrame<1 frames.frames.LLMMessagesFrame<1 frames.frames.StartInterruptionFrame<1 processors.aggregators.openai_llm_context<1 services.ai_services<1 services.cartesia.CartesiaTTSService<1 services.deepgram.DeepgramSTTService<1 services.deepgram.DeepgramTTSService<1 services.elevenlabs.ElevenLabsTTSService<1 services.openai.OpenAILLMService<1 transports.network<1 transports.services<1 vad<0.0.60
pkg_resources: <82
polars: DataFrame.with_column<1
pydantic: computed_field>=2 ConfigDict>=2 field_serializer>=2 field_validator>=2 fields.ModelField<2 fields.Undefined<2 main.ModelMetaclass<2 model_validator>=2 RootModel>=2 TypeAdapter>=2 utils.ROOT_KEY<2 conlist:max_items<2 conlist:min_items<2 constr:regex<2 Field:const<2 Field:regex<2 Field:unique_items<2 BaseSettings<2
pydantic_core: >=2
PyPDF2: PdfFileMerger<3 PdfFileReader<3 PdfFileWriter<3
pytorch_lightning: metrics<1.5 utilities.distributed<2
rq: Connection<2
scipy: integrate.cumtrapz<1.14 integrate.simps<1.14 integrate.trapz<1.14 linalg.tril<1.13 linalg.triu<1.13 misc.imread<1.2 misc.imresize<1.3 misc.imsave<1.2 signal.hann<1.13
selenium: webdriver.Chrome.find_element_by_class_name<4.3 webdriver.Chrome.find_element_by_css_selector<4.3 webdriver.Chrome.find_element_by_id<4.3 webdriver.Chrome.find_element_by_name<4.3 webdriver.Chrome.find_element_by_tag_name<4.3 webdriver.Chrome.find_element_by_xpath<4.3 webdriver.Chrome.find_elements_by_class_name<4.3 webdriver.Chrome.find_elements_by_css_selector<4.3 webdriver.Chrome.find_elements_by_tag_name<4.3 webdriver.Chrome.find_elements_by_xpath<4.3 webdriver.Chrome:chrome_options<4.10 webdriver.Chrome:executable_path<4.10 webdriver.Firefox:executable_path<4.10
setuptools: command.test<72
skimage: filters.gaussian:multichannel<0.22 restoration.denoise_bilateral:multichannel<0.22 restoration.denoise_nl_means:multichannel<0.22
sklearn: cross_validation<0.20 datasets.load_boston<1.2 ensemble.forest<0.24 externals<0.23 grid_search<0.20 linear_model.logistic<0.24 metrics.jaccard_similarity_score<0.23 neighbors.base<0.24 preprocessing.data<0.24 preprocessing.Imputer<0.22 utils.linear_assignment_<0.23 utils.testing<0.24 ensemble.AdaBoostClassifier:base_estimator<1.4 ensemble.BaggingClassifier:base_estimator<1.4 feature_extraction.CountVectorizer.get_feature_names<1.2 linear_model.LinearRegression:normalize<1.2 linear_model.Ridge:normalize<1.2 metrics.mean_squared_error:squared<1.6 preprocessing.OneHotEncoder:sparse<1.4 compose.ColumnTransformer.get_feature_names<1.2
spacy: gold<3 load:en<3
sqlalchemy: Engine.execute<2 create_engine.execute<2 MetaData:bind<2 orm.DeclarativeBase>=2 orm.Mapped>=2 orm.mapped_column>=2
starlette: applications.Starlette.add_event_handler<1 applications.Starlette.on_event<1 applications.Starlette:on_startup<1 routing.Router:on_startup<1
telegram: ext.Filters<20 ParseMode<20
tensorflow: app<2 ConfigProto<2 contrib<2 flags<2 get_default_graph<2 gfile<2 global_variables_initializer<2 GPUOptions<2 GraphKeys<2 keras.wrappers<2.12 layers<2 logging<2 placeholder<2 random_normal<2 reset_default_graph<2 Session<2 set_random_seed<2 train.AdamOptimizer<2 variable_scope<2 keras.Model.fit_generator<2.16 keras.Model.predict_classes<2.6 keras.optimizers.Adam:decay<2.11 keras.optimizers.Adam:lr<2.16 keras.optimizers.SGD:lr<2.16
torch: _six<2 amp.GradScaler>=2.3 compile>=2 compiler>=2.1 concat>=1.10 distributed.tensor.parallel>=2 float8_e4m3fn>=2.1 frombuffer>=1.10 inference_mode>=1.9 library.custom_op>=2.4 nn.attention>=2.3 nn.functional.scaled_dot_product_attention>=2 uint64>=2.3 utils._pytree.register_pytree_node>=2.2 optim.lr_scheduler.LRScheduler>=2
torchaudio: AudioMetaData<2.9 list_audio_backends<2.9 set_audio_backend<2.9 info<2.9 io<2.9
torchtext: data.Field<0.9 legacy<0.12
torchvision: transforms.functional_tensor<0.17
transformers: AdamW<4.49 AutoModelForVision2Seq<5 cache_utils.DynamicCache>=4.36 HybridCache<5 cache_utils.HybridCache<5 Gemma3ForConditionalGeneration>=4.50 GemmaForCausalLM>=4.38 LlamaForCausalLM>=4.28 LlamaTokenizer>=4.28 MistralForCausalLM>=4.34 MixtralForCausalLM>=4.36 models.llama.modeling_llama.LlamaFlashAttention2<4.48 Qwen2_5_VLForConditionalGeneration>=4.49 Qwen2ForCausalLM>=4.37 Qwen2VLForConditionalGeneration>=4.45 Qwen3ForCausalLM>=4.51 TrainingArguments:evaluation_strategy<4.46
tweepy: StreamListener<4 TweepError<4
typing_extensions: assert_never>=4.1 Buffer>=4.6 deprecated>=4.5 Doc>=4.8 evaluate_forward_ref>=4.13 Never>=4.1 NotRequired>=4 override>=4.4 ReadOnly>=4.9 Self>=4 Sentinel>=4.14 TypeAliasType>=4.6 TypeIs>=4.10
urllib3: contrib.appengine<2 packages.six<2 util.ssl_.DEFAULT_CIPHERS<2
websockets: additional_headers>=14 asyncio>=13 extra_headers<14
werkzeug: cached_property<1 contrib<1 FileStorage<1 secure_filename<1 security.safe_str_cmp<2.1 urls.url_decode<3 urls.url_encode<3 urls.url_join<3 urls.url_parse<3 urls.url_quote<3 urls.url_quote_plus<3 urls.url_unquote<3 utils.escape<2.1 wrappers.BaseRequest<2.1 wrappers.BaseResponse<2.1 wsgi.DispatcherMiddleware<1 wsgi.SharedDataMiddleware<1
xgboost: XGBClassifier.fit:early_stopping_rounds<2.1 XGBRegressor.fit:early_stopping_rounds<2.1
yaml: load!Loader@1<6 load_all!Loader@1<6
`;

/** `<0.26` for `huggingface_hub.cached_download`, and for what is in it; undefined if it is not known. */
export function versionsWith(name: string): string | undefined {
  const parts = name.split('.');
  for (let length = 1; length <= parts.length; length++) {
    const bound = bounds().get(parts.slice(0, length).join('.'));
    if (bound !== undefined) return bound;
  }
  return undefined;
}

/** Each whole name, with its versions. */
const bounds = once(
  () =>
    new Map(
      names.split('\n').flatMap((row) => {
        const [top = '', ...members] = row.split(/:? /);
        return members.map((each): [string, string] => {
          const [, name = '', bound = ''] = groupsOf(/^(.*?)([<>]\S+)$/, each);
          return [name === '' ? top : `${top}.${name}`, bound];
        });
      }),
    ),
);

/** `pandas.DataFrame` for what its instances have in some versions; undefined if it is not known. */
export function moduleOf(object: string, name: string): string | undefined {
  const entry = [...bounds().keys()].find((each) => each.endsWith(`.${object}.${name}`));
  return entry?.slice(0, entry.indexOf(`.${name}`));
}

/** `pandas.read_csv:squeeze` for a call of `read_csv`, or of a class, with a keyword that only some versions take. */
export function keywordOf(call: string, word: string): string | undefined {
  const end = `.${call.replace(/\.__init__$/, '')}:${word}`;
  return [...bounds().keys()].find((each) => each.endsWith(end));
}

/** What only some versions of a package allow of a call. */
export interface CallBound {
  module: string;
  bound: string;
  said: string;
}

/** Bounds by the whole name of what a call calls, or by the method of what is not known: `.subclip`. */
export function callBounds(call: PythonCall, isMethod: boolean): CallBound[] {
  const { name, arguments: given, keywords } = call;
  const words = [...Object.keys(keywords), ...given.flatMap((each) => each ?? [])];
  const last = name.slice(name.lastIndexOf('.') + 1);
  const keys = [last, ...words.map((word) => `${last}:${word}`)];
  return [
    ...words.flatMap((word) => exact(`${name}:${word}`, `gives ${word} to ${name}`)),
    ...(/\.[A-Z]\w*\.\w+$/.test(name) ? exact(name, `calls ${last}`) : []),
    ...(isMethod ? keys.flatMap((key) => methods().get(key) ?? []) : []),
    ...lackedBy(call),
  ];
}

function lackedBy({ name, arguments: given, keywords, isOpen }: PythonCall): CallBound[] {
  const need = needed().get(name);
  if (!need || isOpen || given.length > need.at || need.words.some((each) => each in keywords)) return [];
  return [{ module: name, said: `calls ${name} without ${need.words[0]}`, bound: need.bound }];
}

function exact(key: string, said: string): CallBound[] {
  const bound = bounds().get(key);
  return bound === undefined ? [] : [{ module: key, bound, said }];
}

/** Methods that other objects have, too. */
const usual = /^(?:append|execute|ix)$/;

const methods = once(() => {
  const byName = new Map<string, CallBound[]>();
  for (const [key, bound] of bounds()) {
    const [, name] = /\.[A-Z]\w*\.([a-z]\w*(?::\w+)?)$/.exec(key) ?? [];
    const said = `calls ${name?.replace(':', ' with ')}`;
    if (name !== undefined && !usual.test(name))
      onceFor(byName, name, () => [] as CallBound[]).push({ module: key, bound, said });
  }
  return byName;
});

const needed = once(
  () =>
    new Map(
      [...bounds()].flatMap(([key, bound]) => {
        const [, name = '', words = '', at] = /^(.+)!(.+)@(\d)$/.exec(key) ?? [];
        return at === undefined ? [] : [[name, { words: words.split('|'), at: Number(at), bound }] as const];
      }),
    ),
);
